"""Checks that a block device may be overwritten; each refusal has a reason and a remedy.

The kernel's own check comes last and has no race: an exclusive open fails if the device, its disk
or a partition is mounted in any namespace, is swap, or belongs to RAID or LVM. The checks before
give the reason in words.
"""

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ioprobe.target.block_devices import BlockDevice, device_of_folder, node_number, partitions
from ioprobe.target.mounts import mounts
from ioprobe.target.signatures import signatures
from stallscope.errors import StallscopeError, UnableError, UsageError
from stallscope.system_files import Roots, names_in, read_text

# libblkid does not look for RAID on devices up to the size of a floppy disk.
_MIN_BYTES = 4 * 2**20
_OPEN_CHECKS, _OPEN_CHECK_S = 10, 0.05  # looks for processes that have the device open
_ESCAPE = re.compile(r"\\([0-7]{3})")
_HOLDER_KINDS = "RAID, LVM, encryption or similar"


def check_destroy_option(device: BlockDevice, destroy: str | None) -> None:
    """Raise UsageError unless ``destroy`` is the device's exact name, as "/dev/sdb"."""
    if destroy is None:
        raise UsageError(
            f"{device.path}: writing to a device destroys its content; nothing was written",
            f"name a directory, or add --destroy {device.path} if its content is not needed",
        )
    if destroy not in (device.path, device.name):
        raise UsageError(
            f"--destroy {destroy}: the device to write is {device.path}; nothing was written",
            f"use exactly --destroy {device.path} if its content is not needed",
        )


def check_unused(device: BlockDevice, roots: Roots) -> None:
    """Raise UsageError if a device, its disk or one of its partitions is in use."""
    if device.read_only:
        raise _refusal(device, "is read-only", "run blockdev --setrw, or name another device")
    if device.size_bytes is None:
        raise _refusal(device, "its size is unknown", "see the kernel's log for this device")
    if device.size_bytes < _MIN_BYTES:
        raise _refusal(device, "is smaller than 4 MiB", "name a larger device")
    parts = (device, *_related_devices(device, roots))
    for part in parts:
        subject = "it" if part == device else part.path
        if (point := _mount_point(part, roots)) is not None:
            raise _refusal(device, f"{subject} is mounted at {point}", f"unmount {point} first")
        if any(_is_node_of(path, part) for path in _swaps(roots)):
            raise _refusal(device, f"{subject} is swap", f"swapoff {part.path} first")
        if (loop := _loop_on(part, roots)) is not None:
            raise _refusal(
                device, f"{subject} is below /dev/{loop}", f"losetup -d /dev/{loop} first"
            )
        if holders := names_in(part.folder / "holders"):
            raise _refusal(
                device,
                f"{subject} is held by {', '.join(holders)}: {_HOLDER_KINDS}",
                f"stop {_HOLDER_KINDS} first",
            )
    if (opener := _persistent_opener(parts, roots)) is not None:
        process, part = opener
        subject = "it" if part == device else part.path
        raise _refusal(device, f"process {process} has {subject} open", "end that process first")


def open_exclusively(descriptor: int, device: BlockDevice, roots: Roots) -> int:
    """Return the device opened exclusively for direct writes; UsageError if it is in use.

    ``descriptor`` was opened with O_PATH. Signatures are searched on the descriptor opened here.
    """
    opened = _open_exclusively(f"/proc/self/fd/{descriptor}", device)
    try:
        _check_number(opened, device, device)
        _check_signatures(opened, device, device)
        if device.whole is None:
            for partition in partitions(device, roots):
                _check_partition(partition, device)
        # Set O_DIRECT last: libblkid's buffers are not aligned, and a second exclusive open fails.
        fcntl.fcntl(opened, fcntl.F_SETFL, fcntl.fcntl(opened, fcntl.F_GETFL) | os.O_DIRECT)
    except BaseException:
        os.close(opened)
        raise
    return opened


def _open_exclusively(path: str, device: BlockDevice) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise _refusal(
                device,
                "the kernel reports that it is in use (mounted in another namespace, or held)",
                "find the user with lsblk and fuser",
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM):
            raise UnableError(
                f"{device.path}: permission denied",
                "run as root, outside of a container without this device",
            ) from error
        raise UnableError(
            f"{device.path}: cannot be opened for writing: {error.strerror}",
            "see the kernel's log for errors of this device",
        ) from error


def _check_partition(partition: BlockDevice, device: BlockDevice) -> None:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(partition.path, flags)
    try:
        _check_number(descriptor, partition, device)
        _check_signatures(descriptor, partition, device)
    finally:
        os.close(descriptor)


def _check_number(descriptor: int, part: BlockDevice, device: BlockDevice) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISBLK(status.st_mode) or node_number(status) != part.number:
        raise _refusal(device, f"{part.path} is not the node of that device", "run udevadm settle")


def _check_signatures(descriptor: int, part: BlockDevice, device: BlockDevice) -> None:
    if names := signatures(descriptor, part.path):
        subject = "it" if part == device else part.path
        raise _refusal(
            device,
            f"{subject} holds {' and '.join(names)}",
            f"wipefs --all {part.path} first, if its content is not needed",
        )


def _related_devices(device: BlockDevice, roots: Roots) -> Iterator[BlockDevice]:
    """Yield the partitions of a disk, or the disk of a partition, which RAID or LVM may use."""
    if device.whole is None:
        yield from partitions(device, roots)
    elif disk := device_of_folder(device.folder.parent, roots):
        yield disk


def _mount_point(part: BlockDevice, roots: Roots) -> str | None:
    for mount in mounts(roots):
        if mount.device_number == part.number or _is_node_of(mount.source, part):
            return mount.mount_point
    return None


def _swaps(roots: Roots) -> Iterator[str]:
    for line in (read_text(roots.proc / "swaps") or "").splitlines()[1:]:
        yield _ESCAPE.sub(lambda match: chr(int(match[1], 8)), line.split(maxsplit=1)[0])


def _loop_on(part: BlockDevice, roots: Roots) -> str | None:
    """Return a loop device on this device: a loop opens its backing file without holding it."""
    for name in names_in(roots.sys / "block"):
        backing_file = read_text(roots.sys / "block" / name / "loop" / "backing_file")
        if backing_file is not None and _is_node_of(backing_file, part):
            return name
    return None


def _is_node_of(path: str, part: BlockDevice) -> bool:
    """Return whether a path is a node of the device, or a link to one."""
    if not path.startswith("/dev/"):
        return False
    if path == part.path:
        return True
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISBLK(status.st_mode) and node_number(status) == part.number


def _persistent_opener(
    parts: Sequence[BlockDevice], roots: Roots
) -> tuple[int, BlockDevice] | None:
    """Return a process that keeps a device open, as virtual machines do, and the device.

    udev opens devices for a moment, so the process must show up in every look.
    """
    for _ in range(_OPEN_CHECKS):
        if (opener := _opener(parts, roots)) is None:
            return None
        time.sleep(_OPEN_CHECK_S)
    return opener


def _opener(parts: Sequence[BlockDevice], roots: Roots) -> tuple[int, BlockDevice] | None:
    """Return another process that has a device open, among those visible to this user."""
    own_pid = os.getpid()
    for name in names_in(roots.proc):
        if not name.isdecimal() or int(name) == own_pid:
            continue
        folder = roots.proc / name / "fd"
        for number in names_in(folder):
            if (part := _opened_part(folder / number, parts)) is not None:
                return int(name), part
    return None


def _opened_part(entry: Path, parts: Sequence[BlockDevice]) -> BlockDevice | None:
    """Return the device of a descriptor; compare numbers, as containers have their own nodes."""
    try:
        target = str(entry.readlink())
        match = next((part for part in parts if part.path == target), None)
        if match is not None or not target.startswith("/"):  # a pipe or socket has no path
            return match
        status = entry.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISBLK(status.st_mode):
        return None
    return next((part for part in parts if part.number == node_number(status)), None)


def _refusal(device: BlockDevice, reason: str, remedy: str) -> StallscopeError:
    return UsageError(f"{device.path}: {reason}; nothing was written", remedy)
