"""The throughput that a full request queue implies."""

from msgspec import structs

from ioprobe.block_queue.activity import DeviceActivity
from ioprobe.block_queue.implied_throughput import implied_throughput
from ioprobe.block_queue.queue import DeviceKind, QueueDevice, RequestQueue

QUEUE = RequestQueue(
    bio_based=False, scheduler="none", schedulers=("none",), nr_requests=128, async_depth=None,
    hardware_queues=1, tags=None, lun_depth=None, write_cache=None, nomerges=None, rotational=None,
    logical_block_bytes=512, physical_block_bytes=512, max_sectors_kb=None, max_hw_sectors_kb=None,
    read_ahead_kb=None, writeback_target_us=None, admitted=128, on_device=128,
)  # fmt: skip
DISK = QueueDevice(
    name="d", number="8:0", kind=DeviceKind.DISK, description="disk", level=0, below=(),
    holders=(), size_bytes=2**30, in_flight=None, queue=QUEUE, raid=None, backing_file=None,
    limits=(),
)  # fmt: skip
ACTIVITY = DeviceActivity(
    reads_per_s=1000, writes_per_s=500, read_bytes_per_s=1000 * 4096,
    written_bytes_per_s=500 * 131072, merged_share=0, mean_read_ms=0.5, mean_write_ms=8,
    mean_in_flight=4.5, busy_share=1,
)  # fmt: skip


def test_a_full_queue_carries_its_requests_once_per_latency() -> None:
    read, written = implied_throughput(DISK, ACTIVITY)
    assert (read.source, read.direction, read.requests) == ("modelled", "reads", 128)
    assert read.bytes_per_s == 128 * 4096 / 0.5e-3
    assert (written.direction, written.request_bytes) == ("writes", 131072)
    assert written.bytes_per_s == 128 * 131072 / 8e-3
    assert written.measured_bytes_per_s == 500 * 131072


def test_without_requests_a_latency_or_a_limit_there_is_no_estimate() -> None:
    idle = structs.replace(ACTIVITY, reads_per_s=0, read_bytes_per_s=0, mean_read_ms=None)
    assert [implied.direction for implied in implied_throughput(DISK, idle)] == ["writes"]
    unmeasured = structs.replace(idle, mean_write_ms=0.0)
    assert implied_throughput(DISK, unmeasured) == ()
    assert implied_throughput(DISK, None) == ()
    for queue in (None, structs.replace(QUEUE, nr_requests=None)):
        assert implied_throughput(structs.replace(DISK, queue=queue), ACTIVITY) == ()
