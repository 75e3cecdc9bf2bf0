"""The mount and the block devices of a path.

On the live machine the kernel reports them (statx, /proc/self/fdinfo). In a recorded tree the
longest mount point above the path is used, and device nodes are looked up by name in sysfs.
"""

import os
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ioprobe.block_queue.queue import PathLocation
from ioprobe.target.mounts import IN_MEMORY, Mount, covering_mount, mount_of, upper_layer
from stallscope.errors import UsageError
from stallscope.system_files import Roots, names_in, read_text

_IN_MEMORY = IN_MEMORY | {"proc", "sysfs", "cgroup2", "tracefs", "debugfs"}
_REMOTE = ("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "afs", "glusterfs")
REMEDY = "name a file, a directory or a block device"


def find_location(path: Path, roots: Roots) -> PathLocation:
    """Return the location of a path.

    Raises UsageError if the path does not exist, or is not a file, directory or block device.
    """
    return _live_location(path, roots) if roots.is_live else _recorded_location(path, roots)


def _live_location(path: Path, roots: Roots) -> PathLocation:
    try:
        status = path.stat()
        resolved = str(path.resolve())
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot open {path}: {reason}", REMEDY) from error
    if stat.S_ISBLK(status.st_mode):
        number = _number(status.st_rdev)
        missing = None if has_device(roots, number) else f"sysfs has no device {number}"
        return PathLocation(resolved, "device", None, () if missing else (number,), missing)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise UsageError(f"{path} is not a file, directory or block device", REMEDY)
    kind: Literal["directory", "file"] = "directory" if stat.S_ISDIR(status.st_mode) else "file"
    mount = _live_mount(path, resolved, roots)
    number = _number(status.st_dev)
    if has_device(roots, number):  # btrfs and overlay report numbers of no device
        return PathLocation(resolved, kind, mount, (number,), None)
    return _with_mount_devices(PathLocation(resolved, kind, mount, (), None), roots)


def _live_mount(path: Path, resolved: str, roots: Roots) -> Mount | None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            mount = mount_of(descriptor, roots)
        finally:
            os.close(descriptor)
        if mount is not None:
            return mount
    return covering_mount(resolved, roots)


def _recorded_location(path: Path, roots: Roots) -> PathLocation:
    text = os.path.normpath("/" + str(path).lstrip("/"))
    if text.startswith("/dev/") and text != "/dev/shm":  # noqa: S108 - a mount point's name
        number = number_of_node(text, roots)
        if number is None:
            raise UsageError(f"{text} is not a block device in this machine's sysfs", REMEDY)
        return PathLocation(text, "device", None, (number,), None)
    mount = covering_mount(text, roots)
    return _with_mount_devices(PathLocation(text, "file", mount, (), None), roots)


def _with_mount_devices(location: PathLocation, roots: Roots) -> PathLocation:
    """Return the location with the devices of its mount, or the reason why there are none."""
    mount = location.mount
    if mount is None:
        return replace(location, missing="no mount in /proc/self/mountinfo contains it")
    number = f"{mount.device_number[0]}:{mount.device_number[1]}"
    if has_device(roots, number):
        return replace(location, numbers=(number,))
    source = number_of_node(mount.source, roots)
    if source is not None:
        numbers = _btrfs_devices(source, roots) if mount.filesystem == "btrfs" else (source,)
        return replace(location, numbers=numbers)
    upper = upper_layer(mount, roots)
    if upper is not None:
        upper_location = _with_mount_devices(replace(location, mount=upper), roots)
        return replace(upper_location, mount=mount)
    return replace(location, missing=_missing_device_reason(mount))


def _missing_device_reason(mount: Mount) -> str:
    if mount.filesystem in _IN_MEMORY:
        return f"{mount.filesystem} is in memory, without a block device"
    if mount.filesystem in _REMOTE or mount.filesystem.startswith("fuse"):
        return f"{mount.filesystem} is served by another program or machine, which has the queue"
    if mount.filesystem == "overlay":
        return "overlay's upper layer is outside of this mount namespace"
    return f"{mount.filesystem} names no block device ({mount.source})"


def has_device(roots: Roots, number: str) -> bool:
    """Return whether sysfs lists a block device with this number."""
    return (roots.sys / "dev" / "block" / number).exists()


def number_of_node(node: str, roots: Roots) -> str | None:
    """Return the number of a device node, by its path; None if it is not a block device."""
    if roots.is_live:
        try:
            status = Path(node).stat()
        except (OSError, ValueError):
            return None
        return _number(status.st_rdev) if stat.S_ISBLK(status.st_mode) else None
    folder = roots.sys / "class" / "block"
    name = node.removeprefix("/dev/mapper/") if node.startswith("/dev/mapper/") else None
    for device in names_in(folder):
        is_mapped = name is not None and read_text(folder / device / "dm" / "name", 256) == name
        if is_mapped or node == f"/dev/{device}":
            return read_text(folder / device / "dev", 64)
    return None


def _btrfs_devices(number: str, roots: Roots) -> tuple[str, ...]:
    """Return the numbers of all devices of the btrfs filesystem that has this device."""
    for filesystem in names_in(roots.sys / "fs" / "btrfs"):
        folder = roots.sys / "fs" / "btrfs" / filesystem / "devices"
        numbers = [read_text(folder / name / "dev", 64) for name in names_in(folder)]
        if number in numbers:
            return tuple(other for other in numbers if other)
    return (number,)


def _number(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
