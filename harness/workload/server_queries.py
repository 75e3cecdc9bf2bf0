"""INFO of a RESP server: what it says of itself, asked over a connection of our own.

The server may be any that speaks RESP; what it sends is bounded and checked.
"""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from stallscope.errors import TargetError

_PATIENCE_S = 5.0
_LONGEST_REPLY = 4 * 2**20
_STAGE = re.compile(r"stage_(.{1,200})")


@dataclass(frozen=True, slots=True)
class StageCounts:
    """One stage's counts since the server's start."""

    enqueued: int
    executed: int
    batches: int
    preempted: int

    def since(self, earlier: "StageCounts") -> "StageCounts":
        """Return what was counted since an earlier reading."""
        return StageCounts(
            self.enqueued - earlier.enqueued,
            self.executed - earlier.executed,
            self.batches - earlier.batches,
            self.preempted - earlier.preempted,
        )


def info(target: str, section: str, password_file: Path | None = None) -> dict[str, str]:
    """Return the fields of one section of INFO; TargetError where the server does not answer."""
    try:
        with _connected(target) as connection, connection.makefile("rb") as reader:
            if password_file is not None:
                _ask(connection, "AUTH", password_file.read_text().strip())
                _reply(reader, target)
            _ask(connection, "INFO", section)
            text = _reply(reader, target)
    except (OSError, ValueError) as error:
        raise TargetError(
            f"{target} does not tell INFO {section}: {error}", "is a RESP server listening there?"
        ) from error
    pairs = (line.partition(":") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}


def commands_processed(target: str, password_file: Path | None = None) -> int:
    """Return how many commands the server has run since its start."""
    text = info(target, "stats", password_file).get("total_commands_processed", "")
    if not (text.isascii() and text.isdecimal()):
        raise TargetError(
            f"{target}: INFO stats has no total_commands_processed", "name a server that counts"
        )
    return int(text)


def stage_counts(target: str, password_file: Path | None = None) -> dict[str, StageCounts]:
    """Return each stage's counts by its name; empty where the server runs no stages."""
    found = {}
    for name, value in info(target, "stages", password_file).items():
        stage = _STAGE.fullmatch(name)
        fields = dict(part.partition("=")[::2] for part in value.split(","))
        numbers = [fields.get(key, "") for key in ("enqueued", "executed", "batches")]
        numbers.append(fields.get("preempted", "0"))
        if stage and all(text.isascii() and text.isdecimal() for text in numbers):
            found[stage[1]] = StageCounts(*map(int, numbers))
    return found


def average_batch(before: dict[str, StageCounts], after: dict[str, StageCounts]) -> float | None:
    """Return calls a batch over all stages between two readings; None where no stage ran."""
    grown = [after[name].since(before[name]) if name in before else after[name] for name in after]
    batches = sum(counts.batches for counts in grown)
    return sum(counts.executed for counts in grown) / batches if batches > 0 else None


def _connected(target: str) -> socket.socket:
    if target.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(_PATIENCE_S)
            connection.connect(target.removeprefix("unix:"))
        except BaseException:
            connection.close()
            raise
        return connection
    host, _, port = target.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), _PATIENCE_S)


def _ask(connection: socket.socket, *words: str) -> None:
    coded = [word.encode() for word in words]
    parts = [b"*%d\r\n" % len(coded), *(b"$%d\r\n%s\r\n" % (len(word), word) for word in coded)]
    connection.sendall(b"".join(parts))


def _reply(reader: BufferedReader, target: str) -> str:
    line = reader.readline(1024)
    kind, rest = line[:1], line[1:].strip()
    if kind == b"+":
        return rest.decode("utf-8", "replace")
    if kind in (b"$", b"=") and rest.isdigit() and int(rest) <= _LONGEST_REPLY:
        return reader.read(int(rest) + 2).decode("utf-8", "replace")
    said = line.decode("utf-8", "replace").strip()
    raise TargetError(f"{target} answered INFO with {said!r}", "is it a RESP server's port?")


@contextmanager
def compacting(target: str) -> Iterator[None]:
    """Have the server compact its log again and again until the end of the block."""
    with _connected(target) as connection:
        connection.settimeout(None)  # a disk may take its time; the end of the block ends the wait
        ended = threading.Event()
        thread = threading.Thread(target=_compact, args=(connection, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(_PATIENCE_S)


def _compact(connection: socket.socket, ended: threading.Event) -> None:
    with suppress(OSError):
        while not ended.is_set():
            _ask(connection, "COMPACT")
            if not connection.recv(1024).startswith(b"+"):
                return
