"""What is mounted where, from the kernel's list of this process's mounts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from stallscope.system_files import Roots, read_text

_OCTAL = re.compile(r"\\([0-7]{3})")
# Filesystems whose files are memory: reading them says nothing of a disk.
IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of mountinfo; ``device_number`` is the superblock's, as stat(2) tells it mostly."""

    mount_id: int
    device_number: tuple[int, int]
    mount_point: str
    options: tuple[str, ...]
    filesystem: str
    source: str
    super_options: tuple[str, ...]


def mounts(roots: Roots) -> Iterator[Mount]:
    """Return this process's mounts, in the kernel's order; lines of another form are left out."""
    for line in (read_text(roots.proc / "self" / "mountinfo") or "").splitlines():
        if (mount := _mount(line)) is not None:
            yield mount


def mount_of(descriptor: int, roots: Roots) -> Mount | None:
    """Return the mount that an open descriptor is on; None where it is in no place of ours."""
    text = read_text(roots.proc / "self" / "fdinfo" / str(descriptor)) or ""
    found = re.search(r"^mnt_id:\s*([0-9]+)$", text, re.MULTILINE)
    if found is None:
        return None
    return next((mount for mount in mounts(roots) if mount.mount_id == int(found[1])), None)


def covering(path: str, roots: Roots) -> Mount | None:
    """Return the mount whose point is the longest beginning of a path; of equal ones the last."""
    best: Mount | None = None
    pure = PurePosixPath(path)
    for mount in mounts(roots):
        holds = pure.is_relative_to(mount.mount_point)
        if holds and (best is None or len(mount.mount_point) >= len(best.mount_point)):
            best = mount
    return best


def upper_layer(mount: Mount, roots: Roots) -> Mount | None:
    """Return the mount that what is written to an overlay is on; None for other filesystems.

    None too where that is an overlay again, or lies outside of this mount namespace, as a
    container's does.
    """
    path = next((it[9:] for it in mount.super_options if it.startswith("upperdir=/")), None)
    if mount.filesystem != "overlay" or path is None:
        return None
    if roots.is_live and not Path(path).is_dir():
        return None
    found = covering(path, roots)
    return found if found is not None and found.filesystem != "overlay" else None


def _mount(line: str) -> Mount | None:
    """Fields: id, parent, device, root, point, options, optional ones, "-", type, source, more."""
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
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)
