"""The mounts of this process, from /proc/self/mountinfo."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from stallscope.system_files import Roots, read_text

_ESCAPE = re.compile(r"\\([0-7]{3})")
# Filesystems that keep files in memory: reading them does not measure a disk.
IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of mountinfo; ``device_number`` is the superblock's, usually equal to st_dev."""

    mount_id: int
    device_number: tuple[int, int]
    mount_point: str
    options: tuple[str, ...]
    filesystem: str
    source: str
    super_options: tuple[str, ...]


def mounts(roots: Roots) -> Iterator[Mount]:
    """Yield this process's mounts in the kernel's order; malformed lines are skipped."""
    for line in (read_text(roots.proc / "self" / "mountinfo") or "").splitlines():
        if (mount := _parse_mount(line)) is not None:
            yield mount


def mount_of(descriptor: int, roots: Roots) -> Mount | None:
    """Return the mount of an open descriptor; None if it is outside of this namespace."""
    text = read_text(roots.proc / "self" / "fdinfo" / str(descriptor)) or ""
    match = re.search(r"^mnt_id:\s*([0-9]+)$", text, re.MULTILINE)
    if match is None:
        return None
    return next((mount for mount in mounts(roots) if mount.mount_id == int(match[1])), None)


def covering_mount(path: str, roots: Roots) -> Mount | None:
    """Return the mount with the longest mount point above a path; the last of equally long ones."""
    best: Mount | None = None
    pure_path = PurePosixPath(path)
    for mount in mounts(roots):
        covers = pure_path.is_relative_to(mount.mount_point)
        if covers and (best is None or len(mount.mount_point) >= len(best.mount_point)):
            best = mount
    return best


def upper_layer(mount: Mount, roots: Roots) -> Mount | None:
    """Return the mount of an overlay's upper directory; None for other filesystems.

    The result is also None if the upper directory is on an overlay too, or outside of this mount
    namespace, as in a container.
    """
    prefix = "upperdir="
    path = next(
        (
            option.removeprefix(prefix)
            for option in mount.super_options
            if option.startswith(f"{prefix}/")
        ),
        None,
    )
    if mount.filesystem != "overlay" or path is None:
        return None
    if roots.is_live and not Path(path).is_dir():
        return None
    upper = covering_mount(path, roots)
    return upper if upper is not None and upper.filesystem != "overlay" else None


def _parse_mount(line: str) -> Mount | None:
    """Return the mount of a line; None if it is malformed.

    Fields: id, parent, device, root, point, options, optional fields, "-", type, source, options.
    """
    before, separator, after = line.partition(" - ")
    head, tail = before.split(" "), after.split(" ")
    if not separator or len(head) < 6 or len(tail) < 3:
        return None
    major, _, minor = head[2].partition(":")
    if not all(part.isascii() and part.isdecimal() for part in (head[0], major, minor)):
        return None
    return Mount(
        int(head[0]),
        (int(major), int(minor)),
        _unescaped(head[4]),
        tuple(head[5].split(",")),
        _unescaped(tail[0]),
        _unescaped(tail[1]),
        tuple(_unescaped(option) for option in tail[2].split(",")),
    )


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
