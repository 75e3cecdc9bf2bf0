"""The device of a path on recorded machines."""

import pytest

from ioprobe.block_queue.queue import (
    DeviceKind,
    HardwareTags,
)
from ioprobe.block_queue.settings import (
    depth_limit_text,
    options_of,
)
from stallscope.errors import UsageError
from tests.ioprobe.block_queue.recorded import Machines, names, queue_of


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
