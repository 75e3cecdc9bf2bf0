"""Results of recorded machines, with and without an interval."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import structs

from harness.io.queue.result import IntervalMeasurement, QueueResult, queue_result
from ioprobe.block_queue.activity import ActivityInterval, DeviceActivity
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.block_queue.stalls import ProcessStalls, StallCause, SubmissionStalls
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]
PATHS = {
    "nvme": "/srv/my data/x",
    "sata-rotational": "/boot",
    "virtio-guest": "/",
    "md-over-nvme": "/srv",
    "crypt-over-sata": "/home",
}
ACTIVITY = DeviceActivity(
    reads_per_s=100,
    writes_per_s=50,
    read_bytes_per_s=409_600,
    written_bytes_per_s=0,
    merged_share=0.25,
    mean_read_ms=10.0,
    mean_write_ms=None,
    mean_in_flight=2.0,
    busy_share=0.5,
)


def result(roots: Roots, path: str, measurement: IntervalMeasurement | None = None) -> QueueResult:
    """Return the result for a path of a machine."""
    return queue_result(read_block_queue(Path(path), roots), measurement)


def interval(
    stalls: SubmissionStalls | None = None,
    *,
    seconds: float = 2.0,
    complete: bool = True,
    **devices: DeviceActivity,
) -> IntervalMeasurement:
    """Return an interval with the activity of devices."""
    return IntervalMeasurement(
        activity=ActivityInterval(seconds, devices),
        stalls=stalls,
        stalls_missing=None if stalls else "no tracepoints",
        complete=complete,
    )


def submission_stalls(**changes: Any) -> SubmissionStalls:
    """Return the stalls of a process with punts, with changes, and of a quiet process."""
    busy = ProcessStalls(
        pid=70,
        name="d\x1bb",
        requests=9,
        submitted=8,
        punts=6,
        punted_opcodes={22: 6},
        calls=8,
        blocked_calls=0,
        submit_p50_ns=4000,
        submit_p99_ns=9000,
        submit_max_ns=1_200_000,
        append_share=None,
        cause=StallCause.OVER_NR_REQUESTS,
        punt_share=0.75,
        blocked_share=0.0,
    )
    quiet = structs.replace(busy, pid=71, submitted=0, punts=0, calls=0, cause=None)
    return SubmissionStalls(
        processes=(structs.replace(busy, **changes), quiet),
        nr_requests=8,
        max_in_flight=8,
        lost_events=5,
        cpu_s=0.1,
        missing=("x is not traced",),
    )
