"""Types of the block layer between a program and a disk: mount, device stack, request queues.

``location.py`` and ``devices.py`` read them. A value that cannot be read is None.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from ioprobe.block_queue.cgroup_limits import CgroupLimit
from ioprobe.target.mounts import Mount
from stallscope.documents import Count, Record, Share, field


class DeviceKind(StrEnum):
    """The kind of a block device, as far as its queue is concerned."""

    PARTITION = "partition"
    DISK = "disk"
    MAPPED = "device-mapper"
    RAID = "raid"
    LOOP = "loop"
    MEMORY = "memory"  # zram, ram, pmem
    NETWORK = "network"  # nbd, rbd, drbd


@dataclass(frozen=True, slots=True)
class PathLocation:
    """The mount of a path and the block devices that hold it: none, one or several."""

    path: str
    kind: Literal["file", "directory", "device"]
    mount: Mount | None
    numbers: tuple[str, ...]
    missing: str | None  # the reason if there is no block device


class InFlightRequests(Record, frozen=True):
    """Requests in the queue or on the device at one moment."""

    reads: Count
    writes: Count


class RaidArray(Record, frozen=True):
    """An array of block devices."""

    level: str  # "raid5"
    members: Count
    chunk_bytes: Count | None


class HardwareTags(Record, frozen=True):
    """The number of requests that a device accepts at a time."""

    queues: Count
    per_queue: Count
    reserved: Count
    source: str  # "sysfs" or "debugfs"

    @property
    def total(self) -> int:
        """Return the tags of all queues."""
        return self.queues * (self.per_queue - self.reserved)


class RequestQueue(Record, frozen=True, kw_only=True):
    """A device's request queue in sysfs; see Documentation/ABI/stable/sysfs-block."""

    bio_based: bool  # without tags: passes bios on, or serves them in the calling thread
    scheduler: str | None
    schedulers: tuple[str, ...]
    nr_requests: Count | None  # of each hardware queue
    async_depth: Count | None  # the scheduler's limit for writes
    hardware_queues: Count | None
    tags: HardwareTags | None
    lun_depth: Count | None  # of a SCSI device, which shares its controller's tags
    write_cache: str | None  # "write back" or "write through"
    nomerges: Count | None
    rotational: bool | None
    logical_block_bytes: Count | None
    physical_block_bytes: Count | None
    max_sectors_kb: Count | None
    max_hw_sectors_kb: Count | None
    read_ahead_kb: Count | None
    writeback_target_us: Count | None  # of writeback throttling; 0 if it is off
    admitted: Count | None  # requests beyond which submission waits
    on_device: Count | None  # requests on the device at a time


class QueueDevice(Record, frozen=True, kw_only=True):
    """One device of the stack."""

    name: str
    number: str
    kind: DeviceKind
    description: str = field(name="what")  # "LVM volume vg0-root", "NVMe disk"
    level: Count  # 0 for the devices that hold the path
    below: tuple[str, ...]
    holders: tuple[str, ...]
    size_bytes: Count | None
    in_flight: InFlightRequests | None
    queue: RequestQueue | None  # None for a partition, which uses its disk's
    raid: RaidArray | None
    backing_file: str | None  # of a loop device
    limits: tuple[CgroupLimit, ...]  # of this process's cgroups


class PressureLine(Record, frozen=True):
    """Shares, 0..1, of time with tasks stalled on I/O, and the total time."""

    avg10: Share
    avg60: Share
    avg300: Share
    total_us: Count


class QueuePressure(Record, frozen=True):
    """/proc/pressure/io: some or all runnable tasks stalled; see Documentation/accounting/psi."""

    some: PressureLine
    full: PressureLine | None = None


@dataclass(frozen=True, slots=True)
class BlockQueue:
    """The path of requests from a mount to the last device."""

    location: PathLocation
    devices: tuple[QueueDevice, ...]  # from the top, each once
    pressure: QueuePressure | None
    pressure_missing: str | None
