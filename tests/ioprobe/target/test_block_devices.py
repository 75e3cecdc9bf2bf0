"""Disks and partitions by their numbers."""

from ioprobe.target.block_devices import block_device, device_below, partitions
from tests.ioprobe.target.disks import SDZ, SDZ1


def test_disks_and_partitions_are_found_by_number(machine) -> None:
    roots = machine({})
    disk, partition = block_device(SDZ, roots), block_device(SDZ1, roots)
    assert disk is not None
    assert partition is not None
    assert (disk.path, disk.size_bytes, disk.whole, disk.read_only) == (
        "/dev/sdz",
        2**30,
        None,
        False,
    )
    assert (partition.path, partition.whole) == ("/dev/sdz1", "sdz")
    assert list(partitions(disk, roots)) == [partition]
    assert block_device((8, 500), roots) is None
    assert device_below((0, 30), None, roots) is None
    assert device_below(SDZ1, "/dev/nonsense", roots) == partition
