"""A packed or unpacked recording for a terminal."""

from collections.abc import Iterator

from harness.cli.terminal import printable
from harness.pack.result import PackResult, UnpackResult
from stallscope.quantities import count_text, size_text


def lines(result: PackResult, _width: int) -> Iterator[str]:
    """Yield the archive, its content, and what it lacks or still says."""
    size = f"{count_text(result.files, 'file')}, {size_text(result.bytes)}"
    yield f"{printable(result.archive)}: {size}"
    if result.redacted:
        yield "without host names, arguments and paths; function names are kept"
        return
    yield f"binaries for symbols: {result.binaries:,}"
    if result.missing_binaries:
        yield f"{result.missing_binaries:,} binaries are not available or too large: no symbols"
    yield "it contains host names, arguments and paths; --redact leaves them out"


def unpack_lines(result: UnpackResult, _width: int) -> Iterator[str]:
    """Yield the recording, and the command that shows it."""
    yield f"{printable(result.recording)}: {size_text(result.bytes)}"
    yield f"show it with: stallscope report {printable(result.recording)}"
