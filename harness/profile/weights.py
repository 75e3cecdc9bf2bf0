"""The weights of a recording's samples, if they are not the sampled periods."""

from harness.recordings.wait_records import wait_records_of
from stallscope._native import Capture
from stallscope.recordings import Recording
from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.waits.sample_weights import sample_weights
from topdown.waits.timeline import build_intervals
from topdown.waits.weight import Weight


def weights_of(recording: Recording, capture: Capture, weight: Weight) -> SampleWeights:
    """Return the weights of a recording's samples.

    Raises UsageError if the recording has no context switches.
    """
    records, _ = wait_records_of(recording, capture)
    return sample_weights(capture, records, build_intervals(records), weight)
