"""The journal of a pin: the former values, on disk before the first write.

One file a level, as pins may be nested; who owns it, in which boot and on which roots it was made.
"""

import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cstates.pinning.knobs import KNOBS, Change
from stallscope.errors import UnableError
from stallscope.private_directory import write_atomic
from stallscope.system_files import Roots, read_text

SCHEMA = "stallscope.pin.journal"
VERSION = "1.0"
LARGEST_BYTES = 64 * 2**20
_LIVE = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, told from a later one of the same id by its start."""

    pid: int
    start_ticks: int
    name: str

    @property
    def alive(self) -> bool:
        """Return whether it runs still."""
        found = process(self.pid)
        return found is not None and found[0] == self.start_ticks


@dataclass(frozen=True, slots=True)
class Journal:
    """What one pin changes, and whose it is."""

    boot_id: str
    owner: Owner
    roots: tuple[str, str]  # of sysfs and proc
    entries: tuple[Change, ...]


def process(pid: int) -> tuple[int, int] | None:
    """Return a process's start in clock ticks since boot and its parent; None if it has ended."""
    text = read_text(_LIVE / str(pid) / "stat", 4096) or ""
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in {"Z", "X"}:
        return None
    return int(fields[19]), int(fields[1])


def process_parent(pid: int) -> int:
    """Return a process's parent; 0 where it has none, or has ended."""
    found = process(pid)
    return found[1] if found else 0


def this_process(name: str) -> Owner:
    """Return this process as an owner that others may be told of by name."""
    found = process(os.getpid())
    return Owner(os.getpid(), found[0] if found else 0, name)


def boot_id(roots: Roots) -> str:
    """Return what names this boot; a recorded machine's own where its tree has one."""
    place = Path("sys/kernel/random/boot_id")
    return read_text(roots.proc / place, 64) or read_text(_LIVE / place, 64) or "unknown"


def new_journal(roots: Roots, owner: Owner, entries: tuple[Change, ...]) -> Journal:
    """Return the journal of a pin that is about to begin."""
    return Journal(boot_id(roots), owner, (str(roots.sys), str(roots.proc)), entries)


def file_name(level: int) -> str:
    """Return the journal's name in its folder."""
    return f"pin-{level}.json"


def write_journal(folder: int, level: int, journal: Journal) -> None:
    """Write a level's journal; on disk, with its name, when this returns."""
    document = {
        "schema": f"{SCHEMA}/{VERSION}",
        "boot_id": journal.boot_id,
        "owner": owner_document(journal.owner),
        "roots": journal.roots,
        "entries": [[each.knob, each.path, each.old, each.new] for each in journal.entries],
    }
    write_atomic(folder, file_name(level), [json.dumps(document).encode()], durable=True)


def owner_document(owner: Owner) -> dict[str, Any]:
    """Return an owner as JSON takes it."""
    return {"pid": owner.pid, "start_ticks": owner.start_ticks, "name": owner.name}


def owner_of(document: object) -> Owner:
    """Return the owner of a document; ValueError, KeyError or TypeError where it is none."""
    if not isinstance(document, dict):
        raise TypeError("no owner")
    return Owner(int(document["pid"]), int(document["start_ticks"]), str(document["name"]))


def remove_journal(folder: int, level: int) -> None:
    """Take a level's journal away, if it is there."""
    with suppress(FileNotFoundError):
        os.unlink(file_name(level), dir_fd=folder)


def read_small(folder: int, name: str, limit: int = LARGEST_BYTES) -> bytes | None:
    """Return a regular file's bytes; None where there is none. Links are not followed."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return file.read(limit)


def read_journal(folder: int, level: int) -> Journal | None:
    """Return a level's journal; None where there is none. UnableError where it is not readable."""
    try:
        content = read_small(folder, file_name(level))
        if content is None:
            return None
        document = json.loads(content)
        _check_schema(str(document["schema"]))
        first, second = document["roots"]
        entries = tuple(_entry(*each) for each in document["entries"])
        owner = owner_of(document["owner"])
        return Journal(str(document["boot_id"]), owner, (str(first), str(second)), entries)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnableError(
            f"{_place(folder, level)}: no journal of a pin: {error}",
            "look at it, restore by hand what it names, and remove it",
        ) from error


def _place(folder: int, level: int) -> Path:
    """Return where a level's journal is, for people."""
    return Path(os.path.realpath(f"/proc/self/fd/{folder}")) / file_name(level)


def _check_schema(schema: str) -> None:
    name, _, version = schema.partition("/")
    if name != SCHEMA or version.partition(".")[0] != VERSION.partition(".")[0]:
        raise ValueError(f"it is {schema!r}, and {SCHEMA}/1 is known")


def _entry(knob: object, path: object, old: object, new: object) -> Change:
    """Return one entry, checked: a known knob, at a path where it may be, without ``..``."""
    if knob not in KNOBS or not all(isinstance(each, str) for each in (path, old)):
        raise ValueError(f"an entry of {knob!r}")
    place = str(path)
    start = KNOBS[str(knob)].place.partition("{")[0]
    if not place.startswith(start) or ".." in place.split("/"):
        raise ValueError(f"{place!r} is no place of {knob}")
    return Change(str(knob), place, str(old), None if new is None else str(new))
