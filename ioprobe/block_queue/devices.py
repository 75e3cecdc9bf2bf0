"""The stack of block devices below a path, read from sysfs without opening a device."""

import re
from pathlib import Path

from msgspec import structs

from ioprobe.block_queue.cgroup_limits import read_limits
from ioprobe.block_queue.location import find_location
from ioprobe.block_queue.queue import (
    DeviceKind,
    HardwareTags,
    InFlightRequests,
    QueueDevice,
    RaidArray,
    RequestQueue,
)
from stallscope.errors import StallscopeError
from stallscope.system_files import Roots, names_in, read_integer, read_text

MAX_DEVICES = 256  # of one path; a larger stack is reported in part
SECTOR_BYTES = 512  # the unit of sysfs, independent of the device's block size
_MEMORY = re.compile(r"(zram|ram|pmem)\d")
_NETWORK = re.compile(r"(nbd|rbd|drbd)\d")
_DESCRIPTIONS = {
    DeviceKind.LOOP: "loop device",
    DeviceKind.MEMORY: "memory as a disk",
    DeviceKind.NETWORK: "network disk",
}


def read_stack(numbers: tuple[str, ...], roots: Roots) -> tuple[QueueDevice, ...]:
    """Return the devices with these numbers and all below them, each once, from the top."""
    pending = [(number, 0) for number in numbers]
    limits = read_limits(roots)
    devices: dict[str, QueueDevice] = {}
    while pending and len(devices) < MAX_DEVICES:
        number, level = pending.pop(0)
        folder = _folder(number, roots)
        if number in devices or folder is None:
            continue
        below = _numbers_below(folder, roots)
        device = _device(folder, number, level, below, roots)
        device_limits = tuple(limit for limit in limits if limit.number == number)
        devices[number] = structs.replace(device, limits=device_limits)
        pending += [(lower, level + 1) for lower in below]
    return tuple(devices.values())


def _folder(number: str, roots: Roots) -> Path | None:
    link = roots.sys / "dev" / "block" / number
    try:
        return link.resolve() if link.exists() else None
    except (OSError, RuntimeError):
        return None


def _numbers_below(folder: Path, roots: Roots) -> tuple[str, ...]:
    """Return the numbers of the devices that a device is built on."""
    if (folder / "partition").exists():
        number = read_text(folder.parent / "dev", 64)
        return (number,) if number else ()
    backing_file = read_text(folder / "loop" / "backing_file", 4096)
    if backing_file:
        try:
            return find_location(Path(backing_file), roots).numbers
        except StallscopeError:  # the file was deleted, or is in another mount namespace
            return ()
    slaves = folder / "slaves"
    numbers = (read_text(slaves / name / "dev", 64) for name in names_in(slaves))
    return tuple(number for number in numbers if number)


def _device(
    folder: Path, number: str, level: int, below: tuple[str, ...], roots: Roots
) -> QueueDevice:
    kind = _kind(folder)
    sectors = read_integer(folder / "size")
    return QueueDevice(
        name=folder.name.replace("!", "/"),
        number=number,
        kind=kind,
        description=_description(folder, kind),
        level=level,
        below=tuple(_name(lower, roots) for lower in below),
        holders=names_in(folder / "holders"),
        size_bytes=None if sectors is None else sectors * SECTOR_BYTES,
        in_flight=_in_flight(folder),
        queue=None if kind is DeviceKind.PARTITION else read_queue(folder, roots),
        raid=_raid(folder),
        backing_file=read_text(folder / "loop" / "backing_file", 4096),
        limits=(),
    )


def _name(number: str, roots: Roots) -> str:
    folder = _folder(number, roots)
    return number if folder is None else folder.name.replace("!", "/")


def _kind(folder: Path) -> DeviceKind:
    if (folder / "partition").exists():
        return DeviceKind.PARTITION
    for name, kind in (("dm", DeviceKind.MAPPED), ("md", DeviceKind.RAID)):
        if (folder / name).is_dir():
            return kind
    if folder.name.startswith("loop"):
        return DeviceKind.LOOP
    if _MEMORY.match(folder.name):
        return DeviceKind.MEMORY
    return DeviceKind.NETWORK if _NETWORK.match(folder.name) else DeviceKind.DISK


def _description(folder: Path, kind: DeviceKind) -> str:
    """Return the description of a device, as "NVMe disk" with its model."""
    if kind is DeviceKind.PARTITION:
        return f"partition of {folder.parent.name}"
    if kind is DeviceKind.MAPPED:
        return _mapped_description(folder)
    if kind is DeviceKind.RAID:
        raid = _raid(folder)
        return "array" if raid is None else f"{raid.level} array of {raid.members}"
    if kind in _DESCRIPTIONS:
        return _DESCRIPTIONS[kind]
    model = read_text(folder / "device" / "model", 256) or ""
    return f"{_disk_description(folder)} {model}".strip()


def _mapped_description(folder: Path) -> str:
    name = read_text(folder / "dm" / "name", 256) or folder.name
    uuid = read_text(folder / "dm" / "uuid", 256) or ""
    kinds = {"LVM": "LVM volume", "CRYPT": "encrypted volume", "mpath": "multipath"}
    return f"{kinds.get(uuid.partition('-')[0], 'mapped volume')} {name}"


def _disk_description(folder: Path) -> str:
    driver = folder / "device" / "driver"
    driver_name = driver.resolve().name if driver.exists() else ""
    if folder.name.startswith("nvme"):
        return "NVMe disk"
    if driver_name == "virtio_blk":
        return "virtio disk"
    if folder.name.startswith("mmcblk"):
        return "MMC card"
    if folder.name.startswith("sd"):
        is_ata = any(part.startswith("ata") and part[3:].isdecimal() for part in folder.parts)
        return "SATA disk" if is_ata else "SCSI disk"
    return "disk"


def _raid(folder: Path) -> RaidArray | None:
    level = read_text(folder / "md" / "level", 64)
    members = read_integer(folder / "md" / "raid_disks")
    if not level or members is None:
        return None
    return RaidArray(level, members, read_integer(folder / "md" / "chunk_size") or None)


def _in_flight(folder: Path) -> InFlightRequests | None:
    words = (read_text(folder / "inflight", 256) or "").split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None
    return InFlightRequests(int(words[0]), int(words[1]))


def read_queue(folder: Path, roots: Roots) -> RequestQueue | None:
    """Return the request queue of a device, by its directory in sysfs; None if it has none."""
    queue = folder / "queue"
    if not queue.is_dir():
        return None
    hardware_queues = [name for name in names_in(folder / "mq") if name.isdecimal()]
    names = (read_text(queue / "scheduler", 256) or "").split()
    chosen = [name[1:-1] for name in names if name.startswith("[") and name.endswith("]")]
    rotational = read_integer(queue / "rotational")
    nr_requests = read_integer(queue / "nr_requests") if hardware_queues else None
    tags = _tags(folder, hardware_queues, roots)
    depth = read_integer(folder / "device" / "queue_depth")
    lun_depth = depth if depth is not None and depth > 0 else None
    limits = [limit for limit in (tags.total if tags else None, lun_depth) if limit is not None]
    return RequestQueue(
        # Without hardware queues the value in nr_requests limits nothing.
        bio_based=not hardware_queues,
        scheduler=chosen[0] if chosen and hardware_queues else None,
        schedulers=tuple(name.strip("[]") for name in names) if hardware_queues else (),
        nr_requests=nr_requests,
        async_depth=read_integer(queue / "iosched" / "async_depth"),
        hardware_queues=len(hardware_queues) or None,
        tags=tags,
        lun_depth=lun_depth,
        write_cache=read_text(queue / "write_cache", 64) or None,
        nomerges=read_integer(queue / "nomerges"),
        rotational=None if rotational is None else rotational != 0,
        logical_block_bytes=read_integer(queue / "logical_block_size"),
        physical_block_bytes=read_integer(queue / "physical_block_size"),
        max_sectors_kb=read_integer(queue / "max_sectors_kb"),
        max_hw_sectors_kb=read_integer(queue / "max_hw_sectors_kb"),
        read_ahead_kb=read_integer(queue / "read_ahead_kb"),
        writeback_target_us=read_integer(queue / "wbt_lat_usec"),
        admitted=None if nr_requests is None else nr_requests * len(hardware_queues),
        on_device=min(limits, default=None),
    )


def _tags(folder: Path, hardware_queues: list[str], roots: Roots) -> HardwareTags | None:
    """Return the device's tags; every queue counts with the smallest number of tags."""
    if not hardware_queues:
        return None
    counts = [read_integer(folder / "mq" / name / "nr_tags") for name in hardware_queues]
    reserved = [read_integer(folder / "mq" / name / "nr_reserved_tags") for name in hardware_queues]
    source = "sysfs"
    if not any(counts):
        source = "debugfs"
        debug = roots.sys / "kernel" / "debug" / "block" / folder.name
        texts = [read_text(debug / f"hctx{name}" / "tags", 4096) or "" for name in hardware_queues]
        counts = [_debugfs_count(text, "nr_tags") for text in texts]
        reserved = [_debugfs_count(text, "nr_reserved_tags") for text in texts]
    nonzero = [count for count in counts if count]
    if not nonzero:
        return None
    # The kernel reports both together: block/blk-mq-sysfs.c, block/blk-mq-debugfs.c.
    max_reserved = max((count for count in reserved if count is not None), default=0)
    return HardwareTags(len(hardware_queues), min(nonzero), max_reserved, source)


def _debugfs_count(text: str, name: str) -> int | None:
    match = re.search(rf"^{name}=(\d{{1,7}})$", text, re.MULTILINE)
    return None if match is None else int(match[1])
