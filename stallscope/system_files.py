"""Reading /proc, /sys and other files of a machine, live or recorded, without ever blocking."""

import os
from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import UsageError

PIECE_BYTES = 65536
MAX_CPUS = 65_536
MAX_FILE_BYTES = 4 * 2**20  # /proc/cpuinfo of 1,024 CPUs is 1.5 MB


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders with the files of a machine: this one, or a recorded one."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    files: Path = Path("/")  # the root of /run/.containerenv, /usr/lib/debug

    @property
    def is_live(self) -> bool:
        """Return whether this is the running machine, so that system calls describe it as well."""
        return (self.proc, self.sys, self.files) == (Path("/proc"), Path("/sys"), Path("/"))

    @classmethod
    def recorded(cls, folder: Path) -> "Roots":
        """Return the roots of a machine recorded in a folder with the subfolders proc and sys."""
        return cls(folder / "proc", folder / "sys", folder)


def roots_at(sysfs_root: Path, proc_root: Path) -> Roots:
    """Return the roots of a machine; if both are in one folder, its other files belong to it too.

    Raises UsageError if the sysfs root contains no devices.
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
            f"{sysfs_root} contains no devices, so it is not a sysfs",
            "name the sys folder of a recorded machine, such as --sysfs-root TREE/sys",
        )
    return roots


def read_text(path: Path, limit: int = MAX_FILE_BYTES) -> str | None:
    """Return the text of a file without surrounding white space; None if it cannot be read.

    At most ``limit`` bytes are read; bytes that are not UTF-8 are replaced. Never blocks, even on a
    pipe.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None
    parts: list[bytes] = []
    try:
        # Small reads, because /proc/sys fails reads of megabytes with ENOMEM.
        while limit > 0 and (chunk := os.read(descriptor, min(limit, PIECE_BYTES))):
            parts.append(chunk)
            limit -= len(chunk)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return b"".join(parts).decode("utf-8", "replace").strip("\0 \t\r\n")


def read_integer(path: Path) -> int | None:
    """Return the integer in a file; None if there is none or the file cannot be read."""
    text = read_text(path, 64)
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def numbers_in(folder: Path, prefix: str) -> tuple[int, ...]:
    """Return the sorted numbers of names such as cpu3 (prefix "cpu") in a folder."""
    tails = (name.removeprefix(prefix) for name in names_in(folder) if name.startswith(prefix))
    return tuple(sorted(int(tail) for tail in tails if tail.isascii() and tail.isdecimal()))


def names_in(folder: Path) -> tuple[str, ...]:
    """Return the sorted names in a folder; empty if it is missing or cannot be read."""
    try:
        return tuple(sorted(entry.name for entry in folder.iterdir()))
    except OSError:
        return ()
