"""Devices and queues below a path, on recorded machines."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ioprobe.block_queue.activity import measure_activity
from ioprobe.block_queue.cgroup_limits import CgroupLimit
from ioprobe.block_queue.queue import (
    BlockQueue,
    DeviceKind,
    HardwareTags,
    InFlightRequests,
    RaidArray,
)
from ioprobe.block_queue.settings import (
    depth_limit_text,
    device_settings,
    mount_settings,
    options_of,
)
from ioprobe.block_queue.snapshot import read_block_queue, read_pressure
from ioprobe.target.mounts import mounts
from stallscope.errors import UsageError
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def queue_of(roots: Roots, path: str) -> BlockQueue:
    return read_block_queue(Path(path), roots)


def names(queue: BlockQueue) -> list[tuple[str, DeviceKind, int]]:
    return [(device.name, device.kind, device.level) for device in queue.devices]


def test_a_file_on_a_partition_of_an_nvme_disk(machine: Machines) -> None:
    queue = queue_of(machine("nvme"), "/srv/my data/table")
    assert queue.location.mount is not None
    assert queue.location.mount.mount_point == "/srv/my data"
    assert options_of(queue.location.mount) == ("rw", "noatime", "discard", "data=ordered")
    assert names(queue) == [
        ("nvme0n1p2", DeviceKind.PARTITION, 0),
        ("nvme0n1", DeviceKind.DISK, 1),
    ]
    part, disk = queue.devices
    assert (part.queue, part.below, part.size_bytes) == (None, ("nvme0n1",), 999_164_559 * 512)
    assert disk.description == "NVMe disk Made NVMe 960"
    assert disk.queue is not None
    assert disk.queue.tags == HardwareTags(8, 1023, 0, "sysfs")
    assert (disk.queue.scheduler, disk.queue.nr_requests) == ("none", 1023)
    assert (disk.queue.admitted, disk.queue.on_device) == (8184, 8184)
    assert disk.queue.rotational is False
    assert "one CPU reaches 1,023" in depth_limit_text(queue)


def test_a_rotational_disk_by_its_node(machine: Machines) -> None:
    queue = queue_of(machine("sata-rotational"), "/dev/sda2")
    assert (queue.location.kind, queue.location.mount) == ("device", None)
    disk = queue.devices[-1]
    assert disk.description == "SATA disk Made HDD 4000"
    assert disk.in_flight == InFlightRequests(3, 12)
    assert disk.queue is not None
    assert disk.queue.schedulers == ("none", "mq-deadline", "kyber", "bfq")
    assert (disk.queue.scheduler, disk.queue.lun_depth) == ("mq-deadline", 32)
    assert (disk.queue.on_device, disk.queue.admitted) == (32, 64)
    assert (queue.pressure, bool(queue.pressure_missing)) == (None, True)
    assert depth_limit_text(queue).startswith(
        "sda: at most 32 of its requests are on the device at a time"
    )


def test_a_disk_may_accept_fewer_requests_than_its_controller(machine: Machines) -> None:
    roots = machine("sata-rotational")
    folder = (roots.sys / "class/block/sda").resolve()
    (folder / "device/queue_depth").write_text("1\n")
    disk = queue_of(roots, "/dev/sda").devices[0]
    assert disk.queue is not None
    assert disk.queue.on_device == 1
    meanings = {setting.key: setting.meaning for setting in device_settings(disk)}
    assert "one request at a time" in meanings["lun_depth"]


def test_tags_are_read_from_debugfs_if_sysfs_has_none(machine: Machines) -> None:
    roots = machine("virtio-guest")
    disk = queue_of(roots, "/anything").devices[0]  # btrfs: mountinfo has a number of no device
    assert disk.description == "virtio disk"
    assert disk.queue is not None
    assert disk.queue.tags == HardwareTags(2, 128, 0, "debugfs")
    assert disk.queue.admitted == 512
    tags = roots.sys / "kernel/debug/block/vda/hctx1/tags"
    tags.write_text("nr_tags=128\nnr_reserved_tags=8\n")
    disk = queue_of(roots, "/anything").devices[0]
    assert disk.queue is not None
    assert disk.queue.tags == HardwareTags(2, 128, 8, "debugfs")
    assert disk.queue.on_device == 240
    for queue in (0, 1):
        (roots.sys / f"kernel/debug/block/vda/hctx{queue}/tags").unlink()
    disk = queue_of(roots, "/anything").devices[0]
    assert disk.queue is not None
    assert disk.queue.tags is None
    assert "an unknown number" in depth_limit_text(queue_of(roots, "/anything"))


def test_an_array_and_its_members(machine: Machines) -> None:
    queue = queue_of(machine("md-over-nvme"), "/srv")
    array, *members = queue.devices
    assert (array.kind, array.raid) == (DeviceKind.RAID, RaidArray("raid5", 3, 524_288))
    assert [member.level for member in members] == [1, 1, 1]
    assert array.queue is not None
    assert (array.queue.bio_based, array.queue.nr_requests) == (True, None)
    assert all(member.holders == ("md0",) for member in members)
    meanings = {setting.key: setting.meaning for setting in device_settings(array)}
    assert "a small write reads 2 blocks and writes 2" in meanings["stack"]
    assert depth_limit_text(queue).startswith("nvme0n1, nvme1n1, nvme2n1: at most 4,092")


def test_a_file_on_a_loop_device_on_lvm_on_dm_crypt(machine: Machines) -> None:
    roots = machine("crypt-over-sata")
    queue = queue_of(roots, "/mnt/image/x")
    assert [name for name, _, _ in names(queue)] == ["loop0", "dm-1", "dm-0", "sda1", "sda"]
    loop, volume, crypt = queue.devices[:3]
    assert (loop.backing_file, loop.below) == ("/home/disk.img", ("dm-1",))
    assert (volume.description, crypt.description) == (
        "LVM volume vg-home",
        "encrypted volume luks-home",
    )
    assert "worker threads encrypt" in next(iter(device_settings(crypt))).meaning
    by_name = queue_of(roots, "/dev/mapper/vg-home").devices
    assert [device.name for device in by_name] == ["dm-1", "dm-0", "sda1", "sda"]


def test_limits_of_this_cgroup_and_its_ancestors(machine: Machines) -> None:
    queue = queue_of(machine("sata-rotational"), "/x")
    disk = queue.devices[-1]
    assert disk.limits == (
        CgroupLimit("/system.slice/db.service", "8:0", "wbps", 104_857_600),
        CgroupLimit("/system.slice/db.service", "8:0", "riops", 2000),
    )
    assert "this cgroup is limited to 2,000 reads per second" in depth_limit_text(queue)
    assert disk.queue is not None
    assert disk.queue.async_depth == 48
    guest = queue_of(machine("virtio-guest"), "/x").devices[0]
    assert guest.limits == (CgroupLimit("/machine", "254:0", "riops", 2000),)


def test_a_path_without_a_device_has_a_reason(machine: Machines) -> None:
    roots = machine("nvme")
    memory = queue_of(roots, "/tmp/x")
    assert (memory.devices, "is in memory" in str(memory.location.missing)) == ((), True)
    merged = queue_of(roots, "/merged/x")
    assert merged.location.mount is not None
    assert merged.location.mount.filesystem == "overlay"
    assert [device.name for device in merged.devices] == ["nvme0n1p2", "nvme0n1"]
    with pytest.raises(UsageError, match="not a block device in this machine"):
        queue_of(roots, "/dev/nvme9n9")


@pytest.mark.parametrize(
    ("option", "text"),
    [("sync", "one writer keeps one"), ("dax=always", "there is no queue"), ("noatime", None)],
)
def test_mount_options_that_affect_depth_are_explained(
    machine: Machines, option: str, text: str | None
) -> None:
    roots = machine("sata-rotational")
    path = roots.proc / "self/mountinfo"
    path.write_text(path.read_text().replace("rw,attr2", f"rw,{option}"))
    mount = queue_of(roots, "/x").location.mount
    assert mount is not None
    meanings = {setting.value: setting.meaning for setting in mount_settings(mount)}
    assert meanings.get(option) is None if text is None else text in meanings[option]


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


@pytest.mark.parametrize(
    ("name", "text"),
    [("nvme0n1", "passes requests to devices"), ("zram0", "more depth than CPUs gains nothing")],
)
def test_a_device_without_tags_has_no_limit(machine: Machines, name: str, text: str) -> None:
    """The head device of a multipath NVMe namespace has no tags, nor has memory."""
    roots = machine("nvme")
    folder = (roots.sys / "class/block/nvme0n1").resolve()
    shutil.rmtree(folder / "mq")
    other = folder.with_name(name)
    folder.rename(other)
    for link in (roots.sys / "class/block" / name, roots.sys / "dev/block/259:0"):
        link.unlink(missing_ok=True)
        link.symlink_to(other)
    queue = queue_of(roots, f"/dev/{name}")
    assert text in depth_limit_text(queue)
    (device,) = queue.devices
    assert {setting.key: setting.value for setting in device_settings(device)}[
        "nr_requests"
    ] == "no limit"


def test_a_cycle_of_devices_ends(machine: Machines) -> None:
    roots = machine("crypt-over-sata")
    slaves = roots.sys / "devices/virtual/block/dm-0/slaves"
    (slaves / "dm-1").symlink_to("../../dm-1")
    assert len(queue_of(roots, "/home").devices) == 4


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
