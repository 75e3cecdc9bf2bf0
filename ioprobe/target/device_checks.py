"""Whether a block device may be overwritten: every reason why not, each with its remedy.

The kernel's own check stands last and cannot be raced: an exclusive opening is refused where the
device, its disk or a partition is mounted in any namespace, swap, or part of RAID or LVM. What
comes before says why in words.
"""

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ioprobe.target.block_devices import BlockDevice, block_device, node_number, partitions
from ioprobe.target.mounts import mounts
from ioprobe.target.signatures import signatures
from stallscope.errors import StallscopeError, UnableError, UsageError
from stallscope.system_files import Roots, names_in, read_text

# libblkid looks for no RAID on what is no larger than a floppy disk.
_SMALLEST_BYTES = 4 * 2**20
_LOOKS, _LOOK_S = 10, 0.05  # for processes that have it open
_ESCAPED = re.compile(r"\\([0-7]{3})")


def check_named(device: BlockDevice, destroy: str | None) -> None:
    """Raise UsageError unless ``destroy`` is the device's exact name, as "/dev/sdb"."""
    if destroy is None:
        raise UsageError(
            f"{device.path}: writing to a device destroys what is on it, so nothing was written",
            f"name a directory, or add --destroy {device.path} if nothing on it is needed",
        )
    if destroy not in (device.path, device.name):
        raise UsageError(
            f"--destroy {destroy}: the device to be written is {device.path}; nothing was written",
            f"type exactly --destroy {device.path} if nothing on it is needed",
        )


def check_unused(device: BlockDevice, roots: Roots) -> None:
    """Raise UsageError where anything known stands on a device, its disk or its partitions."""
    if device.read_only:
        raise _refused(device, "is read-only", "clear it with blockdev --setrw, or name another")
    if device.size_bytes is None:
        raise _refused(device, "nothing tells its size", "see the kernel's log for this device")
    if device.size_bytes < _SMALLEST_BYTES:
        raise _refused(device, "is smaller than 4 MiB", "name a larger device")
    parts = (device, *_related(device, roots))
    for part in parts:
        what = "it" if part == device else part.path
        if (point := _mounted_at(part, roots)) is not None:
            raise _refused(device, f"{what} is mounted at {point}", f"unmount {point} first")
        if any(_stands_for(path, part) for path in _swaps(roots)):
            raise _refused(device, f"{what} is swap", f"swapoff {part.path} first")
        if (loop := _loop_upon(part, roots)) is not None:
            raise _refused(device, f"{what} is below /dev/{loop}", f"losetup -d /dev/{loop} first")
        if holders := names_in(part.folder / "holders"):
            kind = "RAID, LVM, encryption or the like"
            raise _refused(
                device, f"{what} is held by {', '.join(holders)}: {kind}", f"stop {kind}"
            )
    if (opener := _opener(parts, roots)) is not None:
        process, part = opener
        what = "it" if part == device else part.path
        raise _refused(device, f"process {process} has {what} open", "end that process first")


def open_exclusively(descriptor: int, device: BlockDevice, roots: Roots) -> int:
    """Return the device opened for writing, alone and past the page cache; UsageError if in use.

    ``descriptor`` was opened with O_PATH; signatures are searched on what is opened here.
    """
    opened = _exclusive(f"/proc/self/fd/{descriptor}", device)
    try:
        _check_number(opened, device, device)
        _check_signatures(opened, device, device)
        if device.whole is None:
            for part in partitions(device, roots):
                _check_partition(part, device)
        # Only now: libblkid's buffers are not aligned. A second exclusive opening would be refused.
        fcntl.fcntl(opened, fcntl.F_SETFL, fcntl.fcntl(opened, fcntl.F_GETFL) | os.O_DIRECT)
    except BaseException:
        os.close(opened)
        raise
    return opened


def _exclusive(path: str, device: BlockDevice) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise _refused(
                device,
                "the kernel says it is in use (mounted in another namespace, or held)",
                "lsblk and fuser show by what",
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM):
            raise UnableError(
                f"{device.path}: not permitted to this user",
                "run as root, outside of a container that has no such device",
            ) from error
        raise UnableError(
            f"{device.path}: cannot be opened for writing: {error.strerror}",
            "see the kernel's log for what this device answers",
        ) from error


def _check_partition(part: BlockDevice, device: BlockDevice) -> None:
    descriptor = os.open(part.path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _check_number(descriptor, part, device)
        _check_signatures(descriptor, part, device)
    finally:
        os.close(descriptor)


def _check_number(descriptor: int, part: BlockDevice, device: BlockDevice) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISBLK(status.st_mode) or node_number(status) != part.number:
        raise _refused(device, f"{part.path} is not the node of that device", "run udevadm settle")


def _check_signatures(descriptor: int, part: BlockDevice, device: BlockDevice) -> None:
    if found := signatures(descriptor, part.path):
        what = "it" if part == device else part.path
        raise _refused(
            device,
            f"{what} holds {' and '.join(found)}",
            f"wipefs --all {part.path} first, if nothing on it is needed",
        )


def _related(device: BlockDevice, roots: Roots) -> Iterator[BlockDevice]:
    """Its partitions; of a partition, its disk (RAID and LVM may have taken all of it)."""
    if device.whole is None:
        yield from partitions(device, roots)
        return
    major, _, minor = (read_text(device.folder.parent / "dev", 64) or "").partition(":")
    if major.isdecimal() and minor.isdecimal():
        disk = block_device((int(major), int(minor)), roots)
        if disk is not None:
            yield disk


def _mounted_at(part: BlockDevice, roots: Roots) -> str | None:
    for mount in mounts(roots):
        if mount.device_number == part.number or _stands_for(mount.source, part):
            return mount.mount_point
    return None


def _swaps(roots: Roots) -> Iterator[str]:
    for line in (read_text(roots.proc / "swaps") or "").splitlines()[1:]:
        yield _ESCAPED.sub(lambda found: chr(int(found[1], 8)), line.split(maxsplit=1)[0])


def _loop_upon(part: BlockDevice, roots: Roots) -> str | None:
    """A loop device that is upon it: loops open what is below them without holding it."""
    for name in names_in(roots.sys / "block"):
        below = read_text(roots.sys / "block" / name / "loop" / "backing_file")
        if below is not None and _stands_for(below, part):
            return name
    return None


def _stands_for(path: str, part: BlockDevice) -> bool:
    """Whether a path is a node of the device, or a link to one."""
    if not path.startswith("/dev/"):
        return False
    if path == part.path:
        return True
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISBLK(status.st_mode) and node_number(status) == part.number


def _opener(parts: Sequence[BlockDevice], roots: Roots) -> tuple[int, BlockDevice] | None:
    """A process that keeps one of them open, as virtual machines do, and which.

    udev looks in and goes again.
    """
    for _ in range(_LOOKS):
        if (opener := _has_open(parts, roots)) is None:
            return None
        time.sleep(_LOOK_S)
    return opener


def _has_open(parts: Sequence[BlockDevice], roots: Roots) -> tuple[int, BlockDevice] | None:
    """Any other process; only what this user may see."""
    own = os.getpid()
    for name in names_in(roots.proc):
        if not name.isdecimal() or int(name) == own:
            continue
        folder = roots.proc / name / "fd"
        for number in names_in(folder):
            if (part := _opened_part(folder / number, parts)) is not None:
                return int(name), part
    return None


def _opened_part(entry: Path, parts: Sequence[BlockDevice]) -> BlockDevice | None:
    """Which of them a descriptor is of, whatever its node is called: containers have their own."""
    try:
        opened = str(entry.readlink())
        found = next((part for part in parts if part.path == opened), None)
        if found is not None or not opened.startswith("/"):  # no pipe, no socket
            return found
        status = entry.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISBLK(status.st_mode):
        return None
    return next((part for part in parts if part.number == node_number(status)), None)


def _refused(device: BlockDevice, why: str, remedy: str) -> StallscopeError:
    return UsageError(f"{device.path}: {why}; nothing was written", remedy)
