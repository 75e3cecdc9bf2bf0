"""Devices and the devices below them on recorded machines."""

from ioprobe.block_queue.queue import (
    HardwareTags,
    InFlightRequests,
)
from ioprobe.block_queue.settings import (
    depth_limit_text,
    device_settings,
)
from tests.ioprobe.block_queue.recorded import Machines, names, queue_of


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


def test_a_cycle_of_devices_ends(machine: Machines) -> None:
    roots = machine("crypt-over-sata")
    slaves = roots.sys / "devices/virtual/block/dm-0/slaves"
    (slaves / "dm-1").symlink_to("../../dm-1")
    assert len(queue_of(roots, "/home").devices) == 4
