"""The weights of a recording's samples, if they are not the sampled periods."""

from dataclasses import dataclass

import numpy as np

from harness.profile.off_cpu import OffCpuFacts, off_cpu_facts
from harness.recordings.wait_records import wait_records_of
from stallscope._native import Capture
from stallscope.recordings import Recording
from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.stacks.symbols.symbolizer import Symbolizer
from topdown.waits.idle_pools import idle_threads
from topdown.waits.sample_weights import sample_weights
from topdown.waits.timeline import build_intervals
from topdown.waits.weight import Weight


@dataclass(frozen=True, slots=True)
class RecordedWeights:
    """Weights of samples; ``off_cpu``: facts about waits, None for wall time."""

    samples: SampleWeights
    off_cpu: OffCpuFacts | None


def weights_of(
    recording: Recording, capture: Capture, symbolizer: Symbolizer, weight: Weight
) -> RecordedWeights:
    """Return the weights of a recording's samples; idle pools have no off-CPU time.

    Raises UsageError if the recording has no context switches.
    """
    records, _ = wait_records_of(recording, capture)
    intervals = build_intervals(records)
    if weight == Weight.WALL:
        return RecordedWeights(sample_weights(capture, records, intervals, weight), None)
    idle = (
        idle_threads(records, intervals)
        if len(intervals.thread)
        else np.zeros(len(records.threads), np.bool_)
    )
    return RecordedWeights(
        sample_weights(capture, records, intervals, weight, left_out=idle),
        off_cpu_facts(capture, symbolizer, records, intervals, idle),
    )
