"""Explanations of queue settings: the effect of each on queue depth, in one line.

The behaviour is that of block/blk-mq.c, block/blk-mq-tag.c, block/blk-wbt.c, drivers/md and
fs/iomap in Linux 6.x.
"""

from collections.abc import Iterator

from ioprobe.block_queue.queue import BlockQueue, DeviceKind, QueueDevice, RequestQueue
from ioprobe.target.mounts import Mount
from stallscope.documents import Record

JOURNALS = ("ext4", "xfs", "btrfs", "f2fs", "jfs", "bcachefs")


class QueueSetting(Record, frozen=True):
    """A setting: its key in the document, label, value, and effect on queue depth."""

    key: str
    label: str
    value: str
    meaning: str


def depth_limit_text(block_queue: BlockQueue) -> str:
    """Return the limits on requests in flight for this path, as sentences."""
    with_queue = [device for device in block_queue.devices if device.queue is not None]
    limited = [device for device in with_queue if device.queue and not device.queue.bio_based]
    if not with_queue:
        return "No request queue is known below this path."
    if not limited:
        last = with_queue[-1]
        if last.kind is DeviceKind.MEMORY:
            return (
                f"{last.name} serves requests in the calling thread: more depth than CPUs gains "
                "nothing."
            )
        return f"{last.name} passes requests to devices that sysfs does not list below it."
    names_by_limit: dict[str, list[str]] = {}
    for device in limited:
        names_by_limit.setdefault(_limit_text(device), []).append(device.name)
    cgroups = [
        f"{device.name}: this cgroup is limited to {limit.text}."
        for device in block_queue.devices
        for limit in device.limits
    ]
    limits = [f"{', '.join(names)}: {text}" for text, names in names_by_limit.items()]
    return " ".join([*limits, *cgroups])


def _limit_text(device: QueueDevice) -> str:
    queue = device.queue
    assert queue is not None
    on_device, admitted = queue.on_device, queue.admitted
    count = "an unknown number" if on_device is None else f"{on_device:,}"
    text = f"at most {count} of its requests are on the device at a time"
    if admitted is None:
        return f"{text}."
    waiting = "wait in submission (io_uring: for a worker thread)"
    if on_device is not None and admitted > on_device:
        text += f", {admitted:,} including the scheduler; further requests {waiting}"
    else:
        text += f"; requests beyond {min(admitted, on_device or admitted):,} {waiting}"
    if queue.hardware_queues and queue.hardware_queues > 1:
        text += f"; one CPU reaches {queue.nr_requests:,}, the limit of one hardware queue"
    return f"{text}."


def options_of(mount: Mount) -> tuple[str, ...]:
    """Return the options of a mount and of its filesystem, without duplicates."""
    options = dict.fromkeys([*mount.options, *mount.super_options])
    return tuple(option for option in options if option)


def mount_settings(mount: Mount) -> Iterator[QueueSetting]:
    """Yield the filesystem and the mount options that affect queue depth."""
    if mount.filesystem in JOURNALS:
        text = (
            "direct reads and overwrites run in parallel; writes that append or allocate wait for "
            "its locks and journal, and reach less depth"
        )
        if mount.filesystem == "btrfs":
            text = (
                "copy on write: every write allocates, so the filesystem decides the depth of "
                "writes"
            )
    elif mount.filesystem == "overlay":
        text = "the upper layer's filesystem serves it; the first write copies the whole file"
    else:
        text = "its handling of parallel direct reads and writes is not known here"
    yield QueueSetting("filesystem", "Filesystem", mount.filesystem, text)
    for option in options_of(mount):
        effect = _option_effect(option)
        if effect:
            yield QueueSetting(f"option {option}", "Mount option", option, effect)


def _option_effect(option: str) -> str | None:
    effects = {
        "ro": "writing is not possible",
        "sync": "every write waits for the device: one writer keeps one request in flight",
        "dirsync": "changes of directories wait for the device",
        "discard": "deletion sends discards, which use requests of the same queue",
        "data=journal": "data are written twice, and direct writes become buffered writes",
        "nobarrier": "the write cache is not flushed: fsync is fast, but data are not safe",
        "barrier=0": "the write cache is not flushed: fsync is fast, but data are not safe",
        "dax": "loads and stores replace requests: there is no queue",
        "dax=always": "loads and stores replace requests: there is no queue",
    }
    if option.startswith("compress"):
        return "worker threads compress data: direct writes become buffered writes"
    return effects.get(option)


def device_settings(device: QueueDevice) -> Iterator[QueueSetting]:
    """Yield the role of a device in the stack, and the settings of its queue."""
    if device.kind is DeviceKind.PARTITION:
        text = "all partitions of a disk share its queue"
        yield QueueSetting("kind", "Queue", "its disk's", text)
        return
    stack = _stack_setting(device)
    if stack:
        yield stack
    for limit in device.limits:
        text = f"a rate limit of this cgroup ({limit.cgroup}): beyond it more depth only waits"
        yield QueueSetting(f"cgroup {limit.key}", "Limited to", limit.text, text)
    if device.queue is not None:
        yield from _depth_settings(device.queue)
        yield from _size_settings(device.queue)
        yield from _medium_settings(device.queue)
    if device.in_flight is not None:
        in_flight = device.in_flight
        value = f"{in_flight.reads:,} reads, {in_flight.writes:,} writes"
        is_busy = in_flight.reads + in_flight.writes > 0
        text = "requests of other processes use the same depth" if is_busy else "idle"
        yield QueueSetting("in_flight", "In flight now", value, text)


def _stack_setting(device: QueueDevice) -> QueueSetting | None:
    below = ", ".join(device.below)
    if device.kind is DeviceKind.LOOP and device.backing_file is not None:
        text = "worker threads of the kernel turn each request into a read or write of that file"
        return QueueSetting("stack", "Backing file", device.backing_file, text)
    if device.kind is DeviceKind.RAID and device.raid is not None:
        return QueueSetting("stack", device.raid.level, f"over {below}", _raid_text(device))
    if device.kind is DeviceKind.MAPPED:
        text = "passes requests on: the devices below limit the depth"
        if "encrypted" in device.description:
            text = "worker threads encrypt before the queue below: the CPU may be the limit"
        return QueueSetting("stack", "Mapped", f"over {below}", text)
    return None


def _raid_text(device: QueueDevice) -> str:
    raid = device.raid
    assert raid is not None
    if raid.level in ("raid4", "raid5", "raid6"):
        blocks = 3 if raid.level == "raid6" else 2
        return (
            f"reads spread over {raid.members} members; a small write reads {blocks} blocks and "
            f"writes {blocks}, so the write depth below is {2 * blocks} times the depth above"
        )
    if raid.level in ("raid1", "raid10"):
        return f"reads spread over {raid.members} members; each write goes to every copy"
    return (
        f"requests spread over {raid.members} members: depth N on every member takes "
        f"{raid.members} x N"
    )


def _depth_settings(queue: RequestQueue) -> Iterator[QueueSetting]:
    if queue.bio_based:
        text = "has no tags: it passes requests on, or serves them in the calling thread"
        yield QueueSetting("nr_requests", "Requests", "no limit", text)
        return
    if queue.scheduler is not None:
        text = _scheduler_effect(queue)
        yield QueueSetting("scheduler", "Scheduler", queue.scheduler, text)
    if queue.nr_requests is not None:
        count = queue.hardware_queues or 1
        per_queue = f" of each of {count} queues" if count > 1 else ""
        text = f"request {queue.nr_requests + 1:,}{per_queue} waits during its submission"
        yield QueueSetting("nr_requests", "nr_requests", f"{queue.nr_requests:,}", text)
    if queue.async_depth and queue.nr_requests and queue.async_depth < queue.nr_requests:
        text = f"writes may use {queue.async_depth:,} of these requests; the rest is for reads"
        yield QueueSetting("async_depth", "async_depth", f"{queue.async_depth:,}", text)
    if queue.tags is not None:
        tags = queue.tags
        value = f"{tags.per_queue:,}" if tags.queues == 1 else f"{tags.queues} x {tags.per_queue:,}"
        text = "the number of requests on the device at a time"
        if queue.nr_requests is not None and queue.nr_requests > tags.per_queue:
            text += "; further requests wait in the scheduler, which can sort them"
        yield QueueSetting("hardware_tags", "Hardware tags", value, text)
    if queue.lun_depth is not None:
        text = "this disk may use that many of the controller's tags"
        if queue.lun_depth == 1:
            text = "one request at a time: any depth above 1 only waits"
        yield QueueSetting("lun_depth", "Disk's own depth", f"{queue.lun_depth:,}", text)


def _scheduler_effect(queue: RequestQueue) -> str:
    effects = {
        "none": "requests go to the device in arrival order: more depth is more on the device",
        "mq-deadline": "sorts waiting requests and prefers reads; writes wait longer",
        "kyber": "reduces requests on the device until reads meet their latency target",
        "bfq": "shares the disk between processes, often one at a time: their depths do not add up",
    }
    return effects.get(queue.scheduler or "", "its order of requests is not known here")


def _size_settings(queue: RequestQueue) -> Iterator[QueueSetting]:
    if queue.nomerges is not None and not queue.bio_based:
        value, text = {
            0: ("on", "adjacent requests are merged: sequential requests use fewer tags"),
            1: ("simple only", "a request is merged only with the one right before it"),
        }.get(queue.nomerges, ("off", "each request uses a tag, even if adjacent to another"))
        yield QueueSetting("nomerges", "Merging", value, text)
    if queue.max_sectors_kb is not None:
        text = f"a request above {queue.max_sectors_kb:,} KiB is split and uses several tags"
        value = f"{queue.max_sectors_kb:,} KiB"
        yield QueueSetting("max_sectors_kb", "Largest request", value, text)
    if queue.logical_block_bytes is not None:
        text = "offset and size of direct I/O must be multiples of it"
        value = f"{queue.logical_block_bytes:,} B"
        yield QueueSetting("logical_block_bytes", "Logical block", value, text)
    physical, logical = queue.physical_block_bytes, queue.logical_block_bytes
    if physical is not None:
        text = "the unit that the device writes"
        if logical is not None and physical > logical:
            text = "for smaller writes the device reads, changes and writes a whole block"
        yield QueueSetting("physical_block_bytes", "Physical block", f"{physical:,} B", text)


def _medium_settings(queue: RequestQueue) -> Iterator[QueueSetting]:
    if queue.rotational is not None:
        value, text = "no", "no seeks: depth uses the device's parallelism"
        if queue.rotational:
            value = "yes"
            text = "one arm, unless a virtual disk reports this wrongly: depth improves the order"
        yield QueueSetting("rotational", "Rotational", value, text)
    if queue.write_cache is not None:
        text = "a write completes when it is on the medium: fsync adds nothing"
        if queue.write_cache == "write back":
            text = "a write completes when it is in the device's cache; fsync flushes the cache"
        yield QueueSetting("write_cache", "Write cache", queue.write_cache, text)
    if queue.read_ahead_kb is not None:
        text = "only for buffered sequential reads: depth that the kernel adds"
        yield QueueSetting("read_ahead_kb", "Read ahead", f"{queue.read_ahead_kb:,} KiB", text)
    if queue.writeback_target_us:
        value = f"{queue.writeback_target_us / 1000:g} ms"
        text = "the kernel's writeback is limited to few requests while reads take longer"
        yield QueueSetting("writeback_target_us", "Writeback target", value, text)
