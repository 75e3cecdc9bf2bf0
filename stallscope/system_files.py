"""Reading /proc, /sys and what else tells of a machine, live or recorded, without ever hanging."""

import os
from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import UsageError

PIECE_BYTES = 65536
MOST_CPUS = 65_536
LARGEST_BYTES = 4 * 2**20  # /proc/cpuinfo of 1,024 CPUs is 1.5 MB


@dataclass(frozen=True, slots=True)
class Roots:
    """Where a machine's files are: the live ones, or a recorded machine's."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    files: Path = Path("/")  # of /run/.containerenv, /usr/lib/debug and the like

    @property
    def is_live(self) -> bool:
        """Return whether these are this machine's own, so that system calls may be asked too."""
        return (self.proc, self.sys, self.files) == (Path("/proc"), Path("/sys"), Path("/"))

    @classmethod
    def recorded(cls, folder: Path) -> "Roots":
        """Return the roots of a machine recorded in a folder, with proc and sys in it."""
        return cls(folder / "proc", folder / "sys", folder)


def roots_at(sysfs_root: Path, proc_root: Path) -> Roots:
    """Return the roots of a machine; ``sys`` and ``proc`` of one folder take its other files along.

    Raises UsageError where the sysfs root holds no devices.
    """
    live = Roots()
    if (sysfs_root, proc_root) == (live.sys, live.proc):
        roots = live
    elif (sysfs_root.name, proc_root.name) == ("sys", "proc") and (
        sysfs_root.parent == proc_root.parent
    ):
        roots = Roots.recorded(sysfs_root.parent)
    else:
        roots = Roots(proc_root, sysfs_root, sysfs_root.parent)
    if not (roots.sys / "devices").is_dir():
        raise UsageError(
            f"{sysfs_root} holds no devices, so it is no sysfs",
            "name the sys folder of a machine's tree, as --sysfs-root TREE/sys",
        )
    return roots


def read_text(path: Path, limit: int = LARGEST_BYTES) -> str | None:
    """Return a file's text without surrounding white space; None where it cannot be read.

    At most ``limit`` bytes; what is no UTF-8 is replaced. Never waits: a pipe is not waited for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None
    parts: list[bytes] = []
    try:
        # In pieces: /proc/sys answers a request for megabytes with ENOMEM.
        while limit > 0 and (part := os.read(descriptor, min(limit, PIECE_BYTES))):
            parts.append(part)
            limit -= len(part)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return b"".join(parts).decode("utf-8", "replace").strip("\0 \t\r\n")


def read_integer(path: Path) -> int | None:
    """Return the whole number a file holds; None where it holds none or cannot be read."""
    text = read_text(path, 64)
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def numbers_in(folder: Path, prefix: str) -> tuple[int, ...]:
    """Return the numbers n of the names prefix + n in a folder, in order: of cpu3, state0, ..."""
    tails = (name.removeprefix(prefix) for name in names_in(folder) if name.startswith(prefix))
    return tuple(sorted(int(tail) for tail in tails if tail.isascii() and tail.isdecimal()))


def names_in(folder: Path) -> tuple[str, ...]:
    """Return the sorted names in a folder; empty where it is missing or closed to this user."""
    try:
        return tuple(sorted(entry.name for entry in folder.iterdir()))
    except OSError:
        return ()
