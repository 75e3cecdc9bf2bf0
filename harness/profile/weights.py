"""The weights of a recording's samples, if they are not the sampled periods."""

from stallscope._native import Capture
from stallscope.recordings import Recording
from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.waits.read_records import read_wait_records
from topdown.waits.records import WaitRecords
from topdown.waits.sample_weights import sample_weights
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_log import WaitLog, read_wait_log
from topdown.waits.weight import Weight


def weights_of(recording: Recording, capture: Capture, weight: Weight) -> SampleWeights:
    """Return the weights of a recording's samples.

    Raises UsageError if the recording has no context switches.
    """
    records = wait_records_of(recording, capture)
    return sample_weights(capture, records, build_intervals(records), weight)


def wait_records_of(recording: Recording, capture: Capture) -> WaitRecords:
    """Return the records of waits of a recording or a perf.data file."""
    manifest = recording.manifest
    log: WaitLog | None = None
    begin_ns = end_ns = None
    if manifest is not None:
        log = read_wait_log(recording.path)
        begin_ns, end_ns = manifest.start_ns or None, manifest.end_ns
    return read_wait_records(capture, log, begin_ns=begin_ns, end_ns=end_ns)
