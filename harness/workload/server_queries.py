"""Queries to a RESP server over a dedicated connection: INFO fields, stage counts, compaction.

The server may be any that speaks RESP; the length of its replies is limited and checked.
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

_TIMEOUT_S = 5.0
_MAX_REPLY_BYTES = 4 * 2**20
_STAGE = re.compile(r"stage_(.{1,200})")


@dataclass(frozen=True, slots=True)
class StageCounts:
    """Counts of a stage since the server's start."""

    enqueued: int
    executed: int
    batches: int
    preempted: int

    def since(self, earlier: "StageCounts") -> "StageCounts":
        """Return the increase since an earlier reading."""
        return StageCounts(
            self.enqueued - earlier.enqueued,
            self.executed - earlier.executed,
            self.batches - earlier.batches,
            self.preempted - earlier.preempted,
        )


def info(target: str, section: str, password_file: Path | None = None) -> dict[str, str]:
    """Return the fields of a section of INFO; raises TargetError if the server does not reply."""
    try:
        with _connect(target) as connection, connection.makefile("rb") as reader:
            if password_file is not None:
                _send(connection, "AUTH", password_file.read_text().strip())
                _receive(reader, target)
            _send(connection, "INFO", section)
            text = _receive(reader, target)
    except (OSError, ValueError) as error:
        raise TargetError(
            f"{target} does not reply to INFO {section}: {error}",
            "check that a RESP server listens there",
        ) from error
    pairs = (line.partition(":") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}


def commands_processed(target: str, password_file: Path | None = None) -> int:
    """Return the number of commands that the server has run since its start."""
    text = info(target, "stats", password_file).get("total_commands_processed", "")
    if not (text.isascii() and text.isdecimal()):
        raise TargetError(
            f"{target}: INFO stats has no total_commands_processed",
            "use a server that counts its commands",
        )
    return int(text)


def stage_counts(target: str, password_file: Path | None = None) -> dict[str, StageCounts]:
    """Return the counts of all stages by name; empty if the server runs without stages."""
    counts = {}
    for name, value in info(target, "stages", password_file).items():
        stage = _STAGE.fullmatch(name)
        fields = dict(part.partition("=")[::2] for part in value.split(","))
        numbers = [fields.get(key, "") for key in ("enqueued", "executed", "batches")]
        numbers.append(fields.get("preempted", "0"))
        if stage and all(text.isascii() and text.isdecimal() for text in numbers):
            counts[stage[1]] = StageCounts(*map(int, numbers))
    return counts


def average_batch(before: dict[str, StageCounts], after: dict[str, StageCounts]) -> float | None:
    """Return calls per batch over all stages between two readings; None if no stage ran."""
    increases = [
        after[name].since(before[name]) if name in before else after[name] for name in after
    ]
    batches = sum(counts.batches for counts in increases)
    return sum(counts.executed for counts in increases) / batches if batches > 0 else None


def _connect(target: str) -> socket.socket:
    if target.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(_TIMEOUT_S)
            connection.connect(target.removeprefix("unix:"))
        except BaseException:
            connection.close()
            raise
        return connection
    host, _, port = target.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), _TIMEOUT_S)


def _send(connection: socket.socket, *words: str) -> None:
    encoded = [word.encode() for word in words]
    parts = [b"*%d\r\n" % len(encoded)]
    parts += [b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded]
    connection.sendall(b"".join(parts))


def _receive(reader: BufferedReader, target: str) -> str:
    line = reader.readline(1024)
    kind, rest = line[:1], line[1:].strip()
    if kind == b"+":
        return rest.decode("utf-8", "replace")
    if kind in (b"$", b"=") and rest.isdigit() and int(rest) <= _MAX_REPLY_BYTES:
        return reader.read(int(rest) + 2).decode("utf-8", "replace")
    reply = line.decode("utf-8", "replace").strip()
    raise TargetError(
        f"{target} replied {reply!r} to INFO", "check that this is the port of a RESP server"
    )


@contextmanager
def repeated_compaction(target: str) -> Iterator[None]:
    """Keep the server compacting its log until the end of the block."""
    with _connect(target) as connection:
        connection.settimeout(None)  # a disk can be slow; the end of the block ends the wait
        ended = threading.Event()
        thread = threading.Thread(target=_compact_repeatedly, args=(connection, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(_TIMEOUT_S)


def _compact_repeatedly(connection: socket.socket, ended: threading.Event) -> None:
    with suppress(OSError):
        while not ended.is_set():
            _send(connection, "COMPACT")
            if not connection.recv(1024).startswith(b"+"):
                return
