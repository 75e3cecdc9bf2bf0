"""What each setting of a queue means for queue depth, in one line each.

Behaviour as in block/blk-mq.c, block/blk-mq-tag.c, block/blk-wbt.c, drivers/md and fs/iomap of
Linux 6.x.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ioprobe.block_queue.queue import BlockQueue, DeviceKind, QueueDevice, RequestQueue
from ioprobe.target.mounts import Mount

JOURNALS = ("ext4", "xfs", "btrfs", "f2fs", "jfs", "bcachefs")


@dataclass(frozen=True, slots=True)
class Meaning:
    """A setting by the name that the document has, its label and value, and what it means."""

    key: str
    label: str
    value: str
    meaning: str


def depth_of(found: BlockQueue) -> str:
    """Return what bounds the requests of this path, in a sentence."""
    told = [device for device in found.devices if device.queue is not None]
    bounded = [device for device in told if device.queue and not device.queue.bio_based]
    if not told:
        return "Nothing tells of a queue below this path."
    if not bounded:
        last = told[-1]
        if last.kind is DeviceKind.MEMORY:
            return f"{last.name} serves requests in the caller: more depth than CPUs gains nothing."
        return f"{last.name} passes requests on to devices that sysfs does not name as below it."
    alike: dict[str, list[str]] = {}
    for device in bounded:
        alike.setdefault(_bound(device), []).append(device.name)
    limited = [
        f"{device.name}: this cgroup is held to {limit.text}."
        for device in found.devices
        for limit in device.limits
    ]
    return " ".join([*(f"{', '.join(names)}: {text}" for text, names in alike.items()), *limited])


def _bound(device: QueueDevice) -> str:
    queue = device.queue
    assert queue is not None
    holds, admits = queue.on_device, queue.admitted
    on_device = "an unknown number" if holds is None else f"{holds:,}"
    text = f"at most {on_device} of its requests are on the device at a time"
    if admits is None:
        return f"{text}."
    beyond = "wait in submission (io_uring: for a worker thread)"
    if holds is not None and admits > holds:
        text += f", {admits:,} with those in the scheduler; beyond, they {beyond}"
    else:
        text += f"; beyond {min(admits, holds or admits):,} they {beyond}"
    if queue.hardware_queues and queue.hardware_queues > 1:
        text += f"; of one CPU {queue.nr_requests:,}, which is what one of its queues takes"
    return f"{text}."


def options_of(mount: Mount) -> tuple[str, ...]:
    """Return the options of a mount and of its filesystem, each once."""
    options = dict.fromkeys([*mount.options, *mount.super_options])
    return tuple(option for option in options if option)


def mount_meanings(mount: Mount) -> Iterator[Meaning]:
    """Yield what the filesystem and those of its options mean that matter to depth."""
    if mount.filesystem in JOURNALS:
        text = (
            "direct reads, and writes over what is there, go on at once; writes that append or "
            "allocate wait for its locks and journal, and keep less depth than asked for"
        )
        if mount.filesystem == "btrfs":
            text = "copies on write: every write allocates, so depth of writes is the filesystem's"
    elif mount.filesystem == "overlay":
        text = "the upper layer's filesystem serves it; the first write copies the whole file"
    else:
        text = "not known for direct reads and writes that go on without waiting"
    yield Meaning("filesystem", "Filesystem", mount.filesystem, text)
    for option in options_of(mount):
        said = _option(option)
        if said:
            yield Meaning(f"option {option}", "Mount option", option, said)


def _option(option: str) -> str | None:
    known = {
        "ro": "nothing can be written here",
        "sync": "every write waits for the device: one writer keeps one request in flight",
        "dirsync": "changes of directories wait for the device",
        "discard": "deleting sends discards, which take requests from the same queue",
        "data=journal": "data are written twice, and direct writes become buffered ones",
        "nobarrier": "the write cache is not flushed: fsync costs little and promises nothing",
        "barrier=0": "the write cache is not flushed: fsync costs little and promises nothing",
        "dax": "loads and stores instead of requests: there is no queue",
        "dax=always": "loads and stores instead of requests: there is no queue",
    }
    if option.startswith("compress"):
        return "data are compressed by worker threads: direct writes become buffered ones"
    return known.get(option)


def device_meanings(device: QueueDevice) -> Iterator[Meaning]:
    """Yield what a device is to depth, and what each setting of its queue means."""
    if device.kind is DeviceKind.PARTITION:
        yield Meaning("kind", "Queue", "its disk's", "all partitions of a disk share its queue")
        return
    stack = _stack(device)
    if stack:
        yield stack
    for limit in device.limits:
        text = f"a rate limiter of this cgroup ({limit.cgroup}): beyond it, more depth only waits"
        yield Meaning(f"cgroup {limit.what}", "Limited to", limit.text, text)
    if device.queue is not None:
        yield from _depth(device.queue)
        yield from _sizes(device.queue)
        yield from _medium(device.queue)
    if device.in_flight is not None:
        now = device.in_flight
        value = f"{now.reads:,} reads, {now.writes:,} writes"
        others = "others' requests take from the same depth" if now.reads + now.writes else "idle"
        yield Meaning("in_flight", "In flight now", value, others)


def _stack(device: QueueDevice) -> Meaning | None:
    below = ", ".join(device.below)
    if device.kind is DeviceKind.LOOP and device.backing_file is not None:
        text = "each request becomes a read or write of that file, by worker threads of the kernel"
        return Meaning("stack", "Backing file", device.backing_file, text)
    if device.kind is DeviceKind.RAID and device.raid is not None:
        return Meaning("stack", device.raid.level, f"over {below}", _raid_text(device))
    if device.kind is DeviceKind.MAPPED:
        text = "passes requests on: depth is bounded by what is below"
        if "encrypted" in device.what:
            text = "encrypts in worker threads before the queue below: CPU may bound it, not depth"
        return Meaning("stack", "Mapped", f"over {below}", text)
    return None


def _raid_text(device: QueueDevice) -> str:
    raid = device.raid
    assert raid is not None
    if raid.level in ("raid4", "raid5", "raid6"):
        reads = 3 if raid.level == "raid6" else 2
        return (
            f"reads spread over {raid.members} members; a small write reads {reads} blocks and "
            f"writes {reads}, so write depth below is {2 * reads} times that above"
        )
    if raid.level in ("raid1", "raid10"):
        return f"reads spread over {raid.members} members; each write goes to every copy"
    return (
        f"requests spread over {raid.members} members: to keep each at depth N takes "
        f"{raid.members} x N"
    )


def _depth(queue: RequestQueue) -> Iterator[Meaning]:
    if queue.bio_based:
        text = "no tags of its own: it passes requests on, or serves them in the caller"
        yield Meaning("nr_requests", "Requests", "no limit", text)
        return
    if queue.scheduler is not None:
        yield Meaning("scheduler", "Scheduler", queue.scheduler, _scheduler(queue))
    if queue.nr_requests is not None:
        count = queue.hardware_queues or 1
        each = f" in each of {count} queues" if count > 1 else ""
        text = f"a program's request {queue.nr_requests + 1:,}{each} waits while it is submitted"
        yield Meaning("nr_requests", "nr_requests", f"{queue.nr_requests:,}", text)
    if queue.async_depth and queue.nr_requests and queue.async_depth < queue.nr_requests:
        text = f"of those, writes take no more than {queue.async_depth:,}, so that reads find room"
        yield Meaning("async_depth", "async_depth", f"{queue.async_depth:,}", text)
    if queue.tags is not None:
        tags = queue.tags
        value = f"{tags.per_queue:,}" if tags.queues == 1 else f"{tags.queues} x {tags.per_queue:,}"
        text = "what the device itself is given at a time"
        if queue.nr_requests is not None and queue.nr_requests > tags.per_queue:
            text += "; more wait in the scheduler, where they can be ordered"
        yield Meaning("hardware_tags", "Hardware tags", value, text)
    if queue.lun_depth is not None:
        text = "of the controller's tags no more are given to this disk"
        if queue.lun_depth == 1:
            text = "one request at a time: any depth above 1 only waits"
        yield Meaning("lun_depth", "Disk's own depth", f"{queue.lun_depth:,}", text)


def _scheduler(queue: RequestQueue) -> str:
    known = {
        "none": "requests go to the device as they come: more depth is more on the device",
        "mq-deadline": "sorts waiting requests and puts reads before writes; writes wait longer",
        "kyber": "lowers how many are given to the device until reads meet their latency target",
        "bfq": "serves processes by shares, often one alone: depth of several does not add up",
    }
    return known.get(queue.scheduler or "", "orders waiting requests in a way not known here")


def _sizes(queue: RequestQueue) -> Iterator[Meaning]:
    if queue.nomerges is not None and not queue.bio_based:
        value, text = {
            0: ("on", "neighbouring requests join: sequential ones take fewer tags than asked for"),
            1: ("simple ones only", "only requests that follow one another at once are joined"),
        }.get(queue.nomerges, ("off", "each request takes a tag of its own, neighbours too"))
        yield Meaning("nomerges", "Merging", value, text)
    if queue.max_sectors_kb is not None:
        text = f"a request above {queue.max_sectors_kb:,} KiB is split, and takes several tags"
        yield Meaning("max_sectors_kb", "Largest request", f"{queue.max_sectors_kb:,} KiB", text)
    if queue.logical_block_bytes is not None:
        text = "direct I/O begins at, and is, a multiple of it"
        value = f"{queue.logical_block_bytes:,} B"
        yield Meaning("logical_block_bytes", "Logical block", value, text)
    physical, logical = queue.physical_block_bytes, queue.logical_block_bytes
    if physical is not None:
        text = "what the device writes at once"
        if logical is not None and physical > logical:
            text = "smaller writes are read, changed and written by the device"
        yield Meaning("physical_block_bytes", "Physical block", f"{physical:,} B", text)


def _medium(queue: RequestQueue) -> Iterator[Meaning]:
    if queue.rotational is not None:
        value, text = "no", "no seeks: depth is what it serves in parallel"
        if queue.rotational:
            value = "yes"
            text = "one arm, if that is true (virtual disks often say so): depth buys better order"
        yield Meaning("rotational", "Rotational", value, text)
    if queue.write_cache is not None:
        text = "a write is done when it is on the medium: fsync adds nothing"
        if queue.write_cache == "write back":
            text = "a write is done when it is in the device's cache; fsync empties that first"
        yield Meaning("write_cache", "Write cache", queue.write_cache, text)
    if queue.read_ahead_kb is not None:
        text = "of buffered sequential reads only: a depth that no program asked for"
        yield Meaning("read_ahead_kb", "Read ahead", f"{queue.read_ahead_kb:,} KiB", text)
    if queue.writeback_target_us:
        value = f"{queue.writeback_target_us / 1000:g} ms"
        text = "the kernel's own writeback is held to few requests while reads take longer"
        yield Meaning("writeback_target_us", "Writeback target", value, text)
