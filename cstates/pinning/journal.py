"""The journal of a pin: the old values, on disk before the first write.

There is one file per level, as pins may be nested. It names the owner, the boot and the roots.
The module uses only Python's own JSON, because the guardian that reads the journal runs isolated
from installed packages.
"""

import json
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cstates.pinning.kernel_files import MAX_VALUE_BYTES
from cstates.pinning.knobs import KNOBS, Scope, SettingChange
from stallscope.errors import UnableError
from stallscope.private_directory import write_atomic
from stallscope.system_files import Roots, read_text

SCHEMA = "stallscope.pin.journal"
VERSION = "1.1"  # 1.1: reset
LARGEST_BYTES = 64 * 2**20
_LIVE_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class PinOwner:
    """A process; its start time distinguishes it from a later process with the same id."""

    pid: int
    start_ticks: int
    name: str

    @property
    def alive(self) -> bool:
        """Return whether the process is still running."""
        times = process_start_and_parent(self.pid)
        return times is not None and times[0] == self.start_ticks


@dataclass(frozen=True, slots=True)
class PinJournal:
    """The changes of one pin, and its owner.

    ``reset`` are the paths of stored tunables that the kernel resets because their governor is
    being restored; the pin may overwrite their values.
    """

    boot_id: str
    owner: PinOwner
    roots: tuple[str, str]  # of sysfs and proc
    entries: tuple[SettingChange, ...]
    reset: frozenset[str] = field(default=frozenset())


def process_start_and_parent(pid: int) -> tuple[int, int] | None:
    """Return a process's start in clock ticks since boot and its parent; None if it has ended."""
    text = read_text(_LIVE_PROC / str(pid) / "stat", 4096) or ""
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in {"Z", "X"}:
        return None
    return int(fields[19]), int(fields[1])


def process_parent(pid: int) -> int:
    """Return a process's parent; 0 if it has none or has ended."""
    process = process_start_and_parent(pid)
    return process[1] if process else 0


def current_owner(name: str) -> PinOwner:
    """Return this process as an owner, with the name that other pins print."""
    process = process_start_and_parent(os.getpid())
    return PinOwner(os.getpid(), process[0] if process else 0, name)


def boot_id(roots: Roots) -> str:
    """Return the id of this boot, or of a recorded machine's boot if its tree has one.

    Raises UnableError if it exists but cannot be read: a journal must not be mistaken for one of
    another boot.
    """
    for proc in (roots.proc, _LIVE_PROC):
        try:
            with open(proc / "sys/kernel/random/boot_id", "rb") as file:
                return file.read(64).decode("ascii", "replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise UnableError(
                f"{error.filename}: cannot read the id of this boot: {error.strerror}",
                "try again; the journals of pins are kept",
            ) from error
    return "unknown"


def new_journal(
    roots: Roots,
    owner: PinOwner,
    entries: tuple[SettingChange, ...],
    pending: PinJournal | None = None,
) -> PinJournal:
    """Return the journal of a pin that is about to begin.

    It contains the entries of ``pending`` too: settings of earlier pins that could not be restored
    yet. They are restored after the pin's own.
    """
    earlier = pending.entries if pending else ()
    return PinJournal(
        boot_id(roots),
        owner,
        (str(roots.sys), str(roots.proc)),
        tuple(dict.fromkeys((*earlier, *entries))),
        pending.reset if pending else frozenset(),
    )


def file_name(level: int) -> str:
    """Return the name of a level's journal in its folder."""
    return f"pin-{level}.json"


def write_journal(folder: int, level: int, journal: PinJournal) -> None:
    """Write a level's journal durably: file and name are on disk when this returns."""
    document = {
        "schema": f"{SCHEMA}/{VERSION}",
        "boot_id": journal.boot_id,
        "owner": owner_document(journal.owner),
        "roots": journal.roots,
        "entries": [
            [change.knob, change.path, change.old, change.new] for change in journal.entries
        ],
        "reset": sorted(journal.reset),
    }
    write_atomic(folder, file_name(level), [json.dumps(document).encode()], durable=True)


def owner_document(owner: PinOwner) -> dict[str, Any]:
    """Return an owner's fields for JSON."""
    return {"pid": owner.pid, "start_ticks": owner.start_ticks, "name": owner.name}


def decode_owner(document: object) -> PinOwner:
    """Return the owner in a document; ValueError, KeyError or TypeError if it is invalid."""
    if not isinstance(document, dict):
        raise TypeError("expected an object with the owner")
    # Bytes of a command line that are not UTF-8 are surrogates here, which documents cannot hold.
    name = str(document["name"]).encode("utf-8", "backslashreplace").decode()
    return PinOwner(int(document["pid"]), int(document["start_ticks"]), name)


def remove_journal(folder: int, level: int) -> None:
    """Remove a level's journal if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(file_name(level), dir_fd=folder)


def read_small(folder: int, name: str, limit: int = LARGEST_BYTES) -> bytes | None:
    """Return the content of a regular file, or None; links are not followed."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return file.read(limit)


def read_journal(folder: int, level: int) -> PinJournal | None:
    """Return a level's journal, or None; UnableError if it is not readable."""
    try:
        content = read_small(folder, file_name(level))
    except OSError as error:
        raise UnableError(
            f"{_path(folder, level)}: cannot be read: {error.strerror}",
            "try again; the journal is kept",
        ) from error
    if content is None:
        return None
    try:
        return _decode(content)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise UnableError(
            f"{_path(folder, level)}: not a journal of a pin: {error}",
            "inspect it, restore the settings it names by hand, and remove it",
        ) from error


def _decode(content: bytes) -> PinJournal:
    document = json.loads(content)
    _check_schema(str(document["schema"]))
    sysfs, proc = document["roots"]
    return PinJournal(
        str(document["boot_id"]),
        decode_owner(document["owner"]),
        (str(sysfs), str(proc)),
        tuple(_entry(*entry) for entry in document["entries"]),
        frozenset(map(str, document.get("reset", ()))),
    )


def _path(folder: int, level: int) -> Path:
    """Return the path of a level's journal, for messages."""
    return Path(os.path.realpath(f"/proc/self/fd/{folder}")) / file_name(level)


def _check_schema(schema: str) -> None:
    name, _, version = schema.partition("/")
    if name != SCHEMA or version.partition(".")[0] != VERSION.partition(".")[0]:
        raise ValueError(f"its schema is {schema!r}, supported is {SCHEMA}/1")


def _entry(knob: object, path: object, old: object, new: object) -> SettingChange:
    """Return a checked entry: a known knob of files, at a path of that knob, with short values."""
    setting = KNOBS.get(knob) if isinstance(knob, str) else None
    if setting is None or setting.scope is not Scope.SYSFS:
        raise ValueError(f"invalid entry of {knob!r}")
    if not isinstance(path, str) or not _path_pattern(setting.path).fullmatch(path):
        raise ValueError(f"{path!r} is not a path of {knob}")
    return SettingChange(setting.name, path, _value(old), None if new is None else _value(new))


def _path_pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of a knob's paths; those of tunables are in their governor's folder."""
    names = {"cpu": "[0-9]+", "policy": "policy[0-9]+", "state": "state[0-9]+", "irq": "[0-9]+"}
    parts = re.split(r"\{([a-z]+)\}", template)
    literal = [re.escape(part) for part in parts[::2]]
    pattern = literal[0] + "".join(
        names[name] + text for name, text in zip(parts[1::2], literal[1:], strict=True)
    )
    if template == KNOBS["governor-tunable"].path:
        pattern = literal[0] + r"(policy[0-9]+/)?[A-Za-z0-9_-]+/[A-Za-z0-9_-]+"
    return re.compile(pattern)


def _value(text: object) -> str:
    """Return a checked value of a setting; it fits one page and is text."""
    if not isinstance(text, str) or "\0" in text or len(text.encode()) > MAX_VALUE_BYTES:
        raise ValueError(f"invalid value {text!r:.60}")
    return text
