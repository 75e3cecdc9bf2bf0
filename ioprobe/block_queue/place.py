"""From a path to its mount and the numbers of the block devices that hold it.

On the live machine the kernel is asked (statx, /proc/self/fdinfo); in a recorded tree the longest
mount point that begins the path is taken, and device nodes are looked up by name in sysfs.
"""

import os
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ioprobe.block_queue.queue import Place
from ioprobe.target.mounts import IN_MEMORY, Mount, covering, mount_of, upper_layer
from stallscope.errors import UsageError
from stallscope.system_files import Roots, names_in, read_text

_IN_MEMORY = IN_MEMORY | {"proc", "sysfs", "cgroup2", "tracefs", "debugfs"}
_REMOTE = ("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "afs", "glusterfs")
REMEDY = "name a file, a directory or a block device"


def find_place(path: Path, roots: Roots) -> Place:
    """Return where a path leads.

    Raises UsageError where nothing is there, or something that no filesystem holds.
    """
    return _live_place(path, roots) if roots.is_live else _recorded_place(path, roots)


def _live_place(path: Path, roots: Roots) -> Place:
    try:
        status = path.stat()
        resolved = str(path.resolve())
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot look at {path}: {why}", REMEDY) from error
    if stat.S_ISBLK(status.st_mode):
        number = _number(status.st_rdev)
        missing = None if has_device(roots, number) else f"sysfs knows no device {number}"
        return Place(resolved, "device", None, () if missing else (number,), missing)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise UsageError(f"{path} is no file, directory or block device", REMEDY)
    kind = "directory" if stat.S_ISDIR(status.st_mode) else "file"
    mount = _live_mount(path, resolved, roots)
    own = _number(status.st_dev)
    if has_device(roots, own):  # of most filesystems; btrfs and overlay have made-up numbers
        return Place(resolved, kind, mount, (own,), None)
    return _through_mount(Place(resolved, kind, mount, (), None), roots)


def _live_mount(path: Path, resolved: str, roots: Roots) -> Mount | None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            found = mount_of(descriptor, roots)
        finally:
            os.close(descriptor)
        if found is not None:
            return found
    return covering(resolved, roots)


def _recorded_place(path: Path, roots: Roots) -> Place:
    text = os.path.normpath("/" + str(path).lstrip("/"))
    if text.startswith("/dev/") and text != "/dev/shm":  # noqa: S108 - a mount point's name
        number = number_of_node(text, roots)
        if number is None:
            raise UsageError(f"{text} is no block device of this machine's sysfs", REMEDY)
        return Place(text, "device", None, (number,), None)
    mount = covering(text, roots)
    return _through_mount(Place(text, "file", mount, (), None), roots)


def _through_mount(place: Place, roots: Roots) -> Place:
    """Return the place with the devices that its mount names, or why there are none."""
    mount = place.mount
    if mount is None:
        return replace(place, missing="no mount of /proc/self/mountinfo holds it")
    number = f"{mount.device_number[0]}:{mount.device_number[1]}"
    if has_device(roots, number):
        return replace(place, numbers=(number,))
    source = number_of_node(mount.source, roots)
    if source is not None:
        numbers = _btrfs_devices(source, roots) if mount.filesystem == "btrfs" else (source,)
        return replace(place, numbers=numbers)
    upper = upper_layer(mount, roots)
    if upper is not None:
        return replace(
            _through_mount(replace(place, mount=upper), roots), mount=mount, path=place.path
        )
    return replace(place, missing=_no_device(mount))


def _no_device(mount: Mount) -> str:
    if mount.filesystem in _IN_MEMORY:
        return f"{mount.filesystem} lives in memory: no block device is below"
    if mount.filesystem in _REMOTE or mount.filesystem.startswith("fuse"):
        return f"{mount.filesystem} is served by another program or machine: its queue is there"
    if mount.filesystem == "overlay":
        return "overlay's upper layer lies outside of this mount namespace"
    return f"{mount.filesystem} names no block device ({mount.source})"


def has_device(roots: Roots, number: str) -> bool:
    """Return whether sysfs knows a block device by its number."""
    return (roots.sys / "dev" / "block" / number).exists()


def number_of_node(node: str, roots: Roots) -> str | None:
    """Return the number of a device node by its path; None where it is no block device."""
    if roots.is_live:
        try:
            status = Path(node).stat()
        except (OSError, ValueError):
            return None
        return _number(status.st_rdev) if stat.S_ISBLK(status.st_mode) else None
    folder = roots.sys / "class" / "block"
    name = node.removeprefix("/dev/mapper/") if node.startswith("/dev/mapper/") else None
    for device in names_in(folder):
        mapped = name is not None and read_text(folder / device / "dm" / "name", 256) == name
        if mapped or node == f"/dev/{device}":
            return read_text(folder / device / "dev", 64)
    return None


def _btrfs_devices(number: str, roots: Roots) -> tuple[str, ...]:
    """Return the numbers of all devices of the btrfs that one belongs to."""
    for filesystem in names_in(roots.sys / "fs" / "btrfs"):
        folder = roots.sys / "fs" / "btrfs" / filesystem / "devices"
        found = [read_text(folder / name / "dev", 64) for name in names_in(folder)]
        if number in found:
            return tuple(each for each in found if each)
    return (number,)


def _number(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
