"""Devices and queues below a path, on recorded machines."""

from ioprobe.block_queue.queue import (
    DeviceKind,
    RaidArray,
)
from ioprobe.block_queue.settings import (
    depth_limit_text,
    device_settings,
)
from tests.ioprobe.block_queue.recorded import Machines, queue_of


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
