"""What stands between a program and a disk: mount, stack of block devices, their request queues.

Results only; block_queue_place.py and block_queue_devices.py read them. What cannot be read is
None.
"""

from dataclasses import dataclass
from enum import StrEnum

from ioprobe.block_queue.cgroup_limits import CgroupLimit
from ioprobe.target.mounts import Mount


class DeviceKind(StrEnum):
    """What a block device is to its queue."""

    PARTITION = "partition"
    DISK = "disk"
    MAPPED = "device-mapper"
    RAID = "raid"
    LOOP = "loop"
    MEMORY = "memory"  # zram, ram, pmem
    NETWORK = "network"  # nbd, rbd, drbd


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: its mount, and the block devices that hold it (none, one or several)."""

    path: str
    kind: str  # "file", "directory" or "device"
    mount: Mount | None
    numbers: tuple[str, ...]
    missing: str | None  # why there is no block device below


@dataclass(frozen=True, slots=True)
class InFlight:
    """Requests that are in the queue or on the device at this moment."""

    reads: int
    writes: int


@dataclass(frozen=True, slots=True)
class Raid:
    """An array of block devices."""

    level: str  # "raid5"
    members: int
    chunk_bytes: int | None


@dataclass(frozen=True, slots=True)
class HardwareTags:
    """How many requests a device takes at a time, and who says so."""

    queues: int
    per_queue: int
    reserved: int
    source: str  # "sysfs" or "debugfs"

    @property
    def total(self) -> int:
        """Return the tags of all queues."""
        return self.queues * (self.per_queue - self.reserved)


@dataclass(frozen=True, slots=True)
class RequestQueue:
    """A device's queue as sysfs tells of it. Documentation/ABI/stable/sysfs-block."""

    bio_based: bool  # passes requests on, or serves them in the caller: no tags of its own
    scheduler: str | None
    schedulers: tuple[str, ...]
    nr_requests: int | None  # of each hardware queue
    async_depth: int | None  # of them, what the scheduler gives to writes at most
    hardware_queues: int | None
    tags: HardwareTags | None
    lun_depth: int | None  # of a SCSI device, which shares its controller's tags
    write_cache: str | None  # "write back" or "write through"
    nomerges: int | None
    rotational: bool | None
    logical_block_bytes: int | None
    physical_block_bytes: int | None
    max_sectors_kb: int | None
    max_hw_sectors_kb: int | None
    read_ahead_kb: int | None
    writeback_target_us: int | None  # of writeback throttling; 0 where it is off

    @property
    def admitted(self) -> int | None:
        """Return how many requests the queue takes before submitting waits; None if not told."""
        if self.nr_requests is None or self.hardware_queues is None:
            return None
        return self.nr_requests * self.hardware_queues

    @property
    def on_device(self) -> int | None:
        """Return how many requests the device holds at a time; None where nothing tells."""
        told = [
            count
            for count in (self.tags.total if self.tags else None, self.lun_depth)
            if count is not None
        ]
        return min(told) if told else None


@dataclass(frozen=True, slots=True)
class QueueDevice:
    """One device of the stack, and its neighbours in it."""

    name: str
    number: str
    kind: DeviceKind
    what: str  # "LVM volume vg0-root", "NVMe disk"
    level: int  # 0 is what the path lies on
    below: tuple[str, ...]
    holders: tuple[str, ...]
    size_bytes: int | None
    in_flight: InFlight | None
    queue: RequestQueue | None  # None of a partition, which has its disk's
    raid: Raid | None
    backing_file: str | None  # of a loop device
    limits: tuple[CgroupLimit, ...]  # of this process's cgroups


@dataclass(frozen=True, slots=True)
class PressureLine:
    """Shares (0..1) of time that tasks were stalled on I/O, and how long in all."""

    avg10: float
    avg60: float
    avg300: float
    total_us: int


@dataclass(frozen=True, slots=True)
class Pressure:
    """/proc/pressure/io: some tasks waited, or all that had work. Documentation/accounting/psi."""

    some: PressureLine
    full: PressureLine | None


@dataclass(frozen=True, slots=True)
class BlockQueue:
    """All that a path's requests pass, from the mount to the last device."""

    place: Place
    devices: tuple[QueueDevice, ...]  # from the top, each once
    pressure: Pressure | None
    pressure_missing: str | None
