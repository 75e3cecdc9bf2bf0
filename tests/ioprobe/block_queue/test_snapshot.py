"""The queue of a path, read once."""

from pathlib import Path

import pytest

from ioprobe.block_queue.snapshot import read_block_queue, read_pressure
from ioprobe.target.mounts import mounts
from stallscope.errors import UsageError
from stallscope.system_files import Roots
from tests.ioprobe.block_queue.recorded import Machines, queue_of


def test_damaged_files_are_missing_and_not_zero(machine: Machines) -> None:
    roots = machine("nvme")
    folder = (roots.sys / "class/block/nvme0n1").resolve()
    for name in ("inflight", "size", "queue/nr_requests", "queue/scheduler", "mq/3/nr_tags"):
        (folder / name).write_text("\x00garbage \xff -1 x\n")
    (roots.proc / "pressure/io").write_text("some avg10=x\n")
    (roots.proc / "self/mountinfo").write_bytes(b"25 1 x - \xff\n26 25 259:2 / / rw - ext4 d rw\n")
    queue = queue_of(roots, "/x")
    disk = queue.devices[-1]
    assert disk.queue is not None
    assert (disk.in_flight, disk.size_bytes, disk.queue.nr_requests) == (None, None, None)
    assert (disk.queue.scheduler, disk.queue.admitted) == (None, None)
    assert disk.queue.tags is not None
    assert disk.queue.tags.per_queue == 1023
    assert queue.pressure is None
    assert len(list(mounts(roots))) == 1


def test_pressure_is_read_as_shares(machine: Machines) -> None:
    pressure = read_pressure(machine("nvme"))
    assert pressure is not None
    assert (pressure.some.avg10, pressure.some.total_us) == (0.015, 52_774_387)
    assert pressure.full is not None
    assert pressure.full.avg60 == 0.0025


@pytest.mark.live
def test_this_machine(tmp_path: Path) -> None:
    """On any machine a path has devices, or a reason why not."""
    queue = read_block_queue(tmp_path, Roots())
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    root_is_listed = any(line.split()[4] == "/" for line in mounts)  # false in a chroot
    assert (queue.location.mount is not None) == root_is_listed
    assert bool(queue.devices) != bool(queue.location.missing)
    with pytest.raises(UsageError, match="cannot open"):
        read_block_queue(tmp_path / "none", Roots())
    with pytest.raises(UsageError, match="not a file, directory or block device"):
        read_block_queue(Path("/dev/null"), Roots())
