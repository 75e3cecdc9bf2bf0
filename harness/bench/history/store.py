"""A directory of benchmark runs: files of JSON lines that are only appended to.

A line is a run. A new file begins when the last one has MAX_FILE_BYTES, so that appending reads
nothing. A damaged line costs that run alone.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

from harness.bench.history.result import HistoryRun
from stallscope.documents import decode, encode
from stallscope.errors import OutputError, RecordingError, UsageError

MAX_FILE_BYTES = 4 * 2**20
MAX_LINE_BYTES = 16 * 2**20
_PATTERN = "runs-*.jsonl"


def append_run(directory: Path, run: HistoryRun) -> Path:
    """Append a run and return the file it was written to.

    Writers of one directory take turns. The line is written with one call, so that a reader or a
    crash leaves at most one damaged line.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path = _current_file(directory)
        line = (encode(run) + "\n").encode("utf-8", "replace")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        flags |= os.O_NONBLOCK  # a FIFO without a reader fails
        descriptor = os.open(path, flags, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not _ends_with_newline(path):
                line = b"\n" + line
            written = os.write(descriptor, line)
        finally:
            os.close(descriptor)
    except OSError as error:
        message = f"cannot write {directory}: {error.strerror}"
        raise OutputError(message, "name a directory that this user may write") from error
    if written != len(line):
        raise OutputError(f"cannot write {path}: the disk is full", "free some space there")
    return path


def _current_file(directory: Path) -> Path:
    files = sorted(directory.glob(_PATTERN))
    if not files:
        return directory / "runs-000001.jsonl"
    last = files[-1]
    if last.stat().st_size < MAX_FILE_BYTES:
        return last
    digits = last.stem.removeprefix("runs-")
    number = int(digits) + 1 if digits.isdecimal() else len(files) + 1
    return directory / f"runs-{number:06d}.jsonl"


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def read_runs(directory: Path) -> tuple[list[HistoryRun], list[str]]:
    """Return all runs in the order of their files and lines, and what could not be read."""
    if not directory.is_dir():
        raise UsageError(
            f"{directory} is not a directory", "add a run with: stallscope bench history DIR --add"
        )
    runs: list[HistoryRun] = []
    problems: list[str] = []
    for path in sorted(directory.glob(_PATTERN)):
        try:
            if not path.is_file():
                problems.append(f"{path}: not a regular file")
                continue
            with path.open("rb") as file:
                _read_lines(path, file.readlines(), runs, problems)
        except OSError as error:
            problems.append(f"{path}: {error.strerror}")
    return runs, problems


def _read_lines(
    path: Path, lines: Sequence[bytes], runs: list[HistoryRun], problems: list[str]
) -> None:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_BYTES:
            problems.append(f"{path}:{number}: the line is too long")
            continue
        try:
            runs.append(decode(line, HistoryRun, f"{path}:{number}"))
        except RecordingError as error:
            problems.append(error.message)
