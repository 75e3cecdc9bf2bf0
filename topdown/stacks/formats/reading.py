"""Reads a file of another tool as a profile."""

import shlex
from pathlib import Path

from stallscope.errors import RecordingError, UsageError
from topdown.stacks.formats.content import plain_file, read_content, read_head
from topdown.stacks.formats.detection import FileFormat, detect
from topdown.stacks.formats.stack_tables import StackTables
from topdown.stacks.profile import Profile

STACK_FORMATS = (
    FileFormat.PERF_SCRIPT,
    FileFormat.FOLDED,
    FileFormat.PPROF,
    FileFormat.OTLP,
    FileFormat.SPEEDSCOPE,
    FileFormat.FIREFOX,
)

_TAR_MAGIC_AT, _TAR_MAGIC = 257, b"ustar"


def detect_file(path: Path) -> FileFormat | None:
    """Return the format of a file; None if it is a capture of perf, or of no known format.

    Raises UsageError for an archive, such as `stallscope pack` writes.
    """
    head = read_head(path)
    if head[_TAR_MAGIC_AT:].startswith(_TAR_MAGIC):
        raise UsageError(
            f"{path} is an archive", f"unpack it first: stallscope unpack {shlex.quote(str(path))}"
        )
    return detect(head)


def read_profile(path: Path, file_format: FileFormat, event: str = "") -> Profile:
    """Return the stacks of a file. ``event``: event or type of value; empty: the default.

    Raises RecordingError if the file is damaged, too large, or has no stacks.
    """
    if file_format in (FileFormat.PERF_SCRIPT, FileFormat.FOLDED):
        with plain_file(path) as plain:
            return _read_text(plain, path.name, file_format, event)
    content = read_content(path)
    if file_format == FileFormat.SPEEDSCOPE:
        from topdown.stacks.formats.speedscope import decode_speedscope  # noqa: PLC0415

        return decode_speedscope(content, path.name)
    if file_format == FileFormat.FIREFOX:
        from topdown.stacks.formats.firefox import decode_firefox  # noqa: PLC0415

        return decode_firefox(content, path.name)
    if file_format in (FileFormat.PPROF, FileFormat.OTLP):
        from topdown.stacks.formats.profile_tables import profile_of  # noqa: PLC0415

        return profile_of(read_tables(content, path.name, file_format), path.name, event)
    raise RecordingError(
        f"{path} is a file of {file_format}, which has no stacks",
        f"show it: stallscope import {path}",
    )


def read_tables(content: bytes, name: str, file_format: FileFormat) -> StackTables:
    """Return the tables of a pprof or OTLP profile."""
    if file_format == FileFormat.PPROF:
        from topdown.stacks.formats.pprof import decode_pprof  # noqa: PLC0415 - start-up

        return decode_pprof(content, name)
    from topdown.stacks.formats.otlp import decode_otlp  # noqa: PLC0415 - start-up stays light

    return decode_otlp(content, name)


def _read_text(path: Path, name: str, file_format: FileFormat, event: str) -> Profile:
    if file_format == FileFormat.PERF_SCRIPT:
        from topdown.stacks.formats.perf_script import read_perf_script  # noqa: PLC0415

        return read_perf_script(path, name, event)
    from topdown.stacks.formats.folded import read_folded  # noqa: PLC0415 - start-up stays light

    return read_folded(path, name)
