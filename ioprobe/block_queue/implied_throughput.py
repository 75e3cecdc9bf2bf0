"""The throughput that a full request queue implies, by Little's law.

With N requests in flight that take R each, a device completes N / R of them per second. A full
queue has ``nr_requests`` in flight. The model takes size and latency from the measured interval and
assumes that the latency stays the same when the queue is full. It grows on a device that is busy,
so the result is an upper bound: if it is far above the device's bandwidth, ``nr_requests`` is
deeper than the device can use, and the requests wait where no scheduler can reorder them.
"""

from typing import Literal

from ioprobe.block_queue.activity import DeviceActivity
from ioprobe.block_queue.queue import QueueDevice
from stallscope.documents import Amount, Natural, Record


class ImpliedThroughput(Record, frozen=True, kw_only=True):
    """nr_requests x size / latency, for the reads or the writes of an interval."""

    source: Literal["modelled"] = "modelled"
    direction: Literal["reads", "writes"]
    requests: Natural  # nr_requests, of one hardware queue
    request_bytes: Amount  # measured mean
    latency_ms: Amount  # measured mean, in the scheduler and on the device
    bytes_per_s: Amount
    measured_bytes_per_s: Amount


def implied_throughput(
    device: QueueDevice, activity: DeviceActivity | None
) -> tuple[ImpliedThroughput, ...]:
    """Return the throughput of reads and of writes; empty if nr_requests or a mean is unknown."""
    queue = device.queue
    if activity is None or queue is None or queue.bio_based or not queue.nr_requests:
        return ()
    read = _implied(
        "reads", queue.nr_requests, activity.reads_per_s, activity.read_bytes_per_s,
        activity.mean_read_ms,
    )  # fmt: skip
    written = _implied(
        "writes", queue.nr_requests, activity.writes_per_s, activity.written_bytes_per_s,
        activity.mean_write_ms,
    )  # fmt: skip
    return tuple(implied for implied in (read, written) if implied is not None)


def _implied(
    direction: Literal["reads", "writes"],
    nr_requests: int,
    per_s: float,
    bytes_per_s: float,
    latency_ms: float | None,
) -> ImpliedThroughput | None:
    # The kernel counts whole milliseconds: a sum of 0 is a latency that it did not measure.
    if not latency_ms or not per_s or not bytes_per_s:
        return None
    request_bytes = bytes_per_s / per_s
    return ImpliedThroughput(
        direction=direction,
        requests=nr_requests,
        request_bytes=request_bytes,
        latency_ms=latency_ms,
        bytes_per_s=nr_requests * request_bytes / latency_ms * 1000,
        measured_bytes_per_s=bytes_per_s,
    )
