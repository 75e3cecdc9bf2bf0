"""Reading /proc, /sys and what else tells of a machine, live or recorded, without ever hanging."""

import os
from dataclasses import dataclass
from pathlib import Path

PIECE_BYTES = 65536
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


def names_in(folder: Path) -> tuple[str, ...]:
    """Return the sorted names in a folder; empty where it is missing or closed to this user."""
    try:
        return tuple(sorted(entry.name for entry in folder.iterdir()))
    except OSError:
        return ()


def cpu_list_size(text: str) -> int:
    """Return how many CPUs a kernel list as "0-3,8" names; 0 where it is none."""
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()):
            return 0
        count += max(0, int(last or first) - int(first) + 1)
    return count
