"""Activity of a device from its counters."""

from ioprobe.block_queue.activity import measure_activity
from tests.ioprobe.block_queue.recorded import Machines, queue_of


def test_activity_is_the_increment_of_the_counters(machine: Machines) -> None:
    roots = machine("sata-rotational")
    queue = queue_of(roots, "/dev/sda")
    stat = (roots.sys / "class/block/sda").resolve() / "stat"
    times = iter((10.0, 12.0))

    def work(_: float) -> None:
        stat.write_text("1200 60 9600 2500 2100 70 17600 1900 7 1900 6000\n")

    done = measure_activity(
        queue.devices, roots, seconds=2, wait=work, clock=lambda: next(times)
    ).devices["sda"]
    assert (done.reads_per_s, done.writes_per_s) == (100, 50)
    assert (done.read_bytes_per_s, done.written_bytes_per_s) == (800 * 512, 800 * 512)
    assert (done.mean_read_ms, done.mean_write_ms) == (10, 4)
    assert (done.mean_in_flight, done.busy_share, done.merged_share) == (2, 0.5, 0.25)

    times = iter((10.0, 12.0))
    stat.write_text("5 5 5 5 5 5 5 5 5 5 5\n")
    set_back = measure_activity(
        queue.devices,
        roots,
        seconds=2,
        wait=lambda _: stat.write_text("1 1 1 1 1 1 1 1 1 1 1\n") and None,
        clock=lambda: next(times),
    )
    assert set_back.devices == {}
