"""A packed or unpacked recording for a terminal."""

from collections.abc import Iterator

from harness.cli.terminal import printable
from harness.pack.result import PackResult, UnpackResult


def lines(result: PackResult, _width: int) -> Iterator[str]:
    """Yield the archive, its content, and what it lacks or still says."""
    yield f"{printable(result.archive)}: {result.files:,} files, {result.bytes / 2**20:,.1f} MiB"
    if result.redacted:
        yield "without host names, arguments and paths; function names are kept"
        return
    yield f"with {result.binaries:,} binaries for symbols"
    if result.missing_binaries:
        yield f"{result.missing_binaries:,} binaries are not available or too large: no symbols"
    yield "it contains host names, arguments and paths; --redact leaves them out"


def unpack_lines(result: UnpackResult, _width: int) -> Iterator[str]:
    """Yield the recording, and the command that shows it."""
    yield f"{printable(result.recording)}: {result.bytes / 2**20:,.1f} MiB"
    yield f"show it with: stallscope report {printable(result.recording)}"
