"""The weights of a recording's samples, if they are not the sampled periods."""

from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from harness.profile.capture_reading import CaptureReading
from harness.profile.off_cpu import OffCpuFacts, off_cpu_facts
from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.waits.capture_stacks import stack_names
from topdown.waits.idle_pools import idle_threads
from topdown.waits.off_wake import combined, with_wakers
from topdown.waits.read_records import switch_sample_rows
from topdown.waits.sample_weights import sample_weights
from topdown.waits.wakers import ended_waits
from topdown.waits.weight import Weight


@dataclass(frozen=True, slots=True)
class RecordedWeights:
    """Weights of samples.

    ``off_cpu``: facts about waits; ``with_wakers``: the samples of waits with the call chains of
    their wakers. Both are None for wall time.
    """

    samples: SampleWeights
    off_cpu: OffCpuFacts | None = None
    with_wakers: SampleWeights | None = None


def weights_of(reading: CaptureReading, weight: Weight) -> RecordedWeights:
    """Return the weights of a recording's samples; idle pools have no off-CPU time.

    Raises UsageError if the recording has no context switches.
    """
    capture, symbolizer = reading.capture, reading.symbolizer
    records, intervals = reading.waits.records, reading.waits.intervals
    if weight == Weight.WALL:
        return RecordedWeights(sample_weights(capture, records, intervals, weight))
    idle = (
        idle_threads(records, intervals)
        if len(intervals.thread)
        else np.zeros(len(records.threads), np.bool_)
    )
    samples = sample_weights(capture, records, intervals, weight, left_out=idle)
    names, _ = stack_names(capture, symbolizer)
    ended = ended_waits(records, intervals, names, idle)
    wakers = with_wakers(symbolizer, records, intervals, ended, switch_sample_rows(capture))
    return RecordedWeights(
        samples,
        off_cpu_facts(names, records, intervals, ended, idle),
        replace(samples, transform=combined((samples.transform, wakers))),
    )
