"""From a path to its devices and queues, on made machines."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ioprobe.block_queue.cgroup_limits import CgroupLimit
from ioprobe.block_queue.meaning import depth_of, device_meanings, mount_meanings, options_of
from ioprobe.block_queue.queue import BlockQueue, DeviceKind, HardwareTags, InFlight, Raid
from ioprobe.block_queue.reading import over_interval, read_block_queue, read_pressure
from ioprobe.target.mounts import mounts
from stallscope.errors import UsageError
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def found(roots: Roots, path: str) -> BlockQueue:
    return read_block_queue(Path(path), roots)


def names(queue: BlockQueue) -> list[tuple[str, DeviceKind, int]]:
    return [(device.name, device.kind, device.level) for device in queue.devices]


def test_a_file_on_a_partition_of_an_nvme_disk(machine: Machines) -> None:
    queue = found(machine("nvme"), "/srv/my data/table")
    assert queue.place.mount is not None
    assert queue.place.mount.mount_point == "/srv/my data"
    assert options_of(queue.place.mount) == ("rw", "noatime", "discard", "data=ordered")
    assert names(queue) == [
        ("nvme0n1p2", DeviceKind.PARTITION, 0),
        ("nvme0n1", DeviceKind.DISK, 1),
    ]
    part, disk = queue.devices
    assert (part.queue, part.below, part.size_bytes) == (None, ("nvme0n1",), 999_164_559 * 512)
    assert disk.what == "NVMe disk Made NVMe 960"
    assert disk.queue is not None
    assert disk.queue.tags == HardwareTags(8, 1023, 0, "sysfs")
    assert (disk.queue.scheduler, disk.queue.nr_requests) == ("none", 1023)
    assert (disk.queue.admitted, disk.queue.on_device) == (8184, 8184)
    assert disk.queue.rotational is False
    assert "of one CPU 1,023" in depth_of(queue)


def test_a_rotational_disk_by_its_node(machine: Machines) -> None:
    queue = found(machine("sata-rotational"), "/dev/sda2")
    assert (queue.place.kind, queue.place.mount) == ("device", None)
    disk = queue.devices[-1]
    assert disk.what == "SATA disk Made HDD 4000"
    assert disk.in_flight == InFlight(3, 12)
    assert disk.queue is not None
    assert disk.queue.schedulers == ("none", "mq-deadline", "kyber", "bfq")
    assert (disk.queue.scheduler, disk.queue.lun_depth) == ("mq-deadline", 32)
    assert (disk.queue.on_device, disk.queue.admitted) == (32, 64)
    assert (queue.pressure, bool(queue.pressure_missing)) == (None, True)
    assert depth_of(queue).startswith("sda: at most 32 of its requests are on the device at a time")


def test_a_disk_that_takes_less_than_its_controller(machine: Machines) -> None:
    roots = machine("sata-rotational")
    folder = (roots.sys / "class/block/sda").resolve()
    (folder / "device/queue_depth").write_text("1\n")
    disk = found(roots, "/dev/sda").devices[0]
    assert disk.queue is not None
    assert disk.queue.on_device == 1
    said = {each.key: each.meaning for each in device_meanings(disk)}
    assert "one request at a time" in said["lun_depth"]


def test_tags_that_only_debugfs_tells(machine: Machines) -> None:
    roots = machine("virtio-guest")
    disk = found(roots, "/anything").devices[0]  # btrfs: mountinfo's number is no device's
    assert disk.what == "virtio disk"
    assert disk.queue is not None
    assert disk.queue.tags == HardwareTags(2, 128, 0, "debugfs")
    assert disk.queue.admitted == 512
    tags = roots.sys / "kernel/debug/block/vda/hctx1/tags"
    tags.write_text("nr_tags=128\nnr_reserved_tags=8\n")
    disk = found(roots, "/anything").devices[0]
    assert disk.queue is not None
    assert disk.queue.tags == HardwareTags(2, 128, 8, "debugfs")
    assert disk.queue.on_device == 240
    for queue in (0, 1):
        (roots.sys / f"kernel/debug/block/vda/hctx{queue}/tags").unlink()
    disk = found(roots, "/anything").devices[0]
    assert disk.queue is not None
    assert disk.queue.tags is None
    assert "an unknown number" in depth_of(found(roots, "/anything"))


def test_an_array_and_its_members(machine: Machines) -> None:
    queue = found(machine("md-over-nvme"), "/srv")
    array, *members = queue.devices
    assert (array.kind, array.raid) == (DeviceKind.RAID, Raid("raid5", 3, 524_288))
    assert [member.level for member in members] == [1, 1, 1]
    assert array.queue is not None
    assert (array.queue.bio_based, array.queue.nr_requests) == (True, None)
    assert all(member.holders == ("md0",) for member in members)
    said = {each.key: each.meaning for each in device_meanings(array)}
    assert "a small write reads 2 blocks and writes 2" in said["stack"]
    assert depth_of(queue).startswith("nvme0n1, nvme1n1, nvme2n1: at most 4,092")


def test_a_file_on_a_loop_device_on_lvm_on_dm_crypt(machine: Machines) -> None:
    roots = machine("crypt-over-sata")
    queue = found(roots, "/mnt/image/x")
    assert [name for name, _, _ in names(queue)] == ["loop0", "dm-1", "dm-0", "sda1", "sda"]
    loop, volume, crypt = queue.devices[:3]
    assert (loop.backing_file, loop.below) == ("/home/disk.img", ("dm-1",))
    assert (volume.what, crypt.what) == ("LVM volume vg-home", "encrypted volume luks-home")
    assert "encrypts in worker threads" in next(iter(device_meanings(crypt))).meaning
    by_name = found(roots, "/dev/mapper/vg-home").devices
    assert [device.name for device in by_name] == ["dm-1", "dm-0", "sda1", "sda"]


def test_limits_of_this_cgroup_and_those_above(machine: Machines) -> None:
    queue = found(machine("sata-rotational"), "/x")
    disk = queue.devices[-1]
    assert disk.limits == (
        CgroupLimit("/system.slice/db.service", "8:0", "wbps", 104_857_600),
        CgroupLimit("/system.slice/db.service", "8:0", "riops", 2000),
    )
    assert "this cgroup is held to 2,000 reads a second" in depth_of(queue)
    assert disk.queue is not None
    assert disk.queue.async_depth == 48
    guest = found(machine("virtio-guest"), "/x").devices[0]
    assert guest.limits == (CgroupLimit("/machine", "254:0", "riops", 2000),)


def test_what_has_no_device_says_why(machine: Machines) -> None:
    roots = machine("nvme")
    memory = found(roots, "/tmp/x")
    assert (memory.devices, "lives in memory" in str(memory.place.missing)) == ((), True)
    merged = found(roots, "/merged/x")
    assert merged.place.mount is not None
    assert merged.place.mount.filesystem == "overlay"
    assert [device.name for device in merged.devices] == ["nvme0n1p2", "nvme0n1"]
    with pytest.raises(UsageError, match="no block device of this machine"):
        found(roots, "/dev/nvme9n9")


@pytest.mark.parametrize(
    ("option", "said"),
    [("sync", "one writer keeps one"), ("dax=always", "there is no queue"), ("noatime", None)],
)
def test_mount_options_that_matter(machine: Machines, option: str, said: str | None) -> None:
    roots = machine("sata-rotational")
    path = roots.proc / "self/mountinfo"
    path.write_text(path.read_text().replace("rw,attr2", f"rw,{option}"))
    mount = found(roots, "/x").place.mount
    assert mount is not None
    meanings = {each.value: each.meaning for each in mount_meanings(mount)}
    assert meanings.get(option) is None if said is None else said in meanings[option]


def test_damaged_files_are_missing_and_not_zero(machine: Machines) -> None:
    roots = machine("nvme")
    folder = (roots.sys / "class/block/nvme0n1").resolve()
    for name in ("inflight", "size", "queue/nr_requests", "queue/scheduler", "mq/3/nr_tags"):
        (folder / name).write_text("\x00garbage \xff -1 x\n")
    (roots.proc / "pressure/io").write_text("some avg10=x\n")
    (roots.proc / "self/mountinfo").write_bytes(b"25 1 x - \xff\n26 25 259:2 / / rw - ext4 d rw\n")
    queue = found(roots, "/x")
    disk = queue.devices[-1]
    assert disk.queue is not None
    assert (disk.in_flight, disk.size_bytes, disk.queue.nr_requests) == (None, None, None)
    assert (disk.queue.scheduler, disk.queue.admitted) == (None, None)
    assert disk.queue.tags is not None
    assert disk.queue.tags.per_queue == 1023
    assert queue.pressure is None
    assert len(list(mounts(roots))) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [("nvme0n1", "passes requests on to devices"), ("zram0", "more depth than CPUs gains nothing")],
)
def test_a_device_without_tags_bounds_nothing(machine: Machines, name: str, said: str) -> None:
    """A multipath NVMe namespace's own device has none, and memory has none."""
    roots = machine("nvme")
    folder = (roots.sys / "class/block/nvme0n1").resolve()
    shutil.rmtree(folder / "mq")
    other = folder.with_name(name)
    folder.rename(other)
    for link in (roots.sys / "class/block" / name, roots.sys / "dev/block/259:0"):
        link.unlink(missing_ok=True)
        link.symlink_to(other)
    queue = found(roots, f"/dev/{name}")
    assert said in depth_of(queue)
    (device,) = queue.devices
    assert {each.key: each.value for each in device_meanings(device)}["nr_requests"] == "no limit"


def test_devices_that_stand_on_each_other_end(machine: Machines) -> None:
    roots = machine("crypt-over-sata")
    slaves = roots.sys / "devices/virtual/block/dm-0/slaves"
    (slaves / "dm-1").symlink_to("../../dm-1")
    assert len(found(roots, "/home").devices) == 4


def test_what_devices_did_over_an_interval(machine: Machines) -> None:
    roots = machine("sata-rotational")
    queue = found(roots, "/dev/sda")
    stat = (roots.sys / "class/block/sda").resolve() / "stat"
    times = iter((10.0, 12.0))

    def work(_: float) -> None:
        stat.write_text("1200 60 9600 2500 2100 70 17600 1900 7 1900 6000\n")

    done = over_interval(
        queue.devices, roots, seconds=2, wait=work, clock=lambda: next(times)
    ).devices["sda"]
    assert (done.reads_per_s, done.writes_per_s) == (100, 50)
    assert (done.read_bytes_per_s, done.written_bytes_per_s) == (800 * 512, 800 * 512)
    assert (done.mean_read_ms, done.mean_write_ms) == (10, 4)
    assert (done.mean_in_flight, done.busy_share, done.merged_share) == (2, 0.5, 0.25)

    times = iter((10.0, 12.0))
    stat.write_text("5 5 5 5 5 5 5 5 5 5 5\n")
    set_back = over_interval(
        queue.devices,
        roots,
        seconds=2,
        wait=lambda _: stat.write_text("1 1 1 1 1 1 1 1 1 1 1\n") and None,
        clock=lambda: next(times),
    )
    assert set_back.devices == {}


def test_pressure_is_in_shares(machine: Machines) -> None:
    pressure = read_pressure(machine("nvme"))
    assert pressure is not None
    assert (pressure.some.avg10, pressure.some.total_us) == (0.015, 52_774_387)
    assert pressure.full is not None
    assert pressure.full.avg60 == 0.0025


@pytest.mark.live
def test_this_machine(tmp_path: Path) -> None:
    """Whatever it is: a path leads to devices, or it is said why not."""
    queue = read_block_queue(tmp_path, Roots())
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    root_is_told = any(line.split()[4] == "/" for line in mounts)  # not in a changed root
    assert (queue.place.mount is not None) == root_is_told
    assert bool(queue.devices) != bool(queue.place.missing)
    with pytest.raises(UsageError, match="cannot look at"):
        read_block_queue(tmp_path / "none", Roots())
    with pytest.raises(UsageError, match="no file, directory or block device"):
        read_block_queue(Path("/dev/null"), Roots())
