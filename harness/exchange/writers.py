"""Formats to which the flame graph of a recording is written, and their writers."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from stallscope._native import VERSION
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis
    from stallscope.recordings import Recording
    from topdown.stacks.formats.detection import FileFormat
    from topdown.stacks.profile import Profile


class OutputFormat(StrEnum):
    """A format; the value is what --format takes."""

    SVG = "svg"
    HTML = "html"
    FOLDED = "folded"
    PPROF = "pprof"
    OTLP = "otlp"
    SPEEDSCOPE = "speedscope"
    FIREFOX = "firefox"
    CSV = "csv"
    PARQUET = "parquet"


SUFFIXES = {
    ".svg": OutputFormat.SVG,
    ".html": OutputFormat.HTML,
    ".folded": OutputFormat.FOLDED,
    ".pb.gz": OutputFormat.PPROF,
    ".pprof": OutputFormat.PPROF,
    ".otlp": OutputFormat.OTLP,
    ".speedscope.json": OutputFormat.SPEEDSCOPE,
    ".firefox.json": OutputFormat.FIREFOX,
    ".csv": OutputFormat.CSV,
    ".parquet": OutputFormat.PARQUET,
}
PRODUCT = f"stallscope {VERSION}"


def output_format(path: Path, name: str | None, remedy: str = "add --format") -> OutputFormat:
    """Return the format of an output; UsageError if neither its name nor the option says it.

    ``remedy``: what helps beside another name.
    """
    if name is not None:
        return OutputFormat(name)
    for suffix, known in SUFFIXES.items():
        if path.name.endswith(suffix):
            return known
    if str(path) == "-":
        raise UsageError("standard output has no suffix that names the format", remedy)
    raise UsageError(
        f"{path} has none of the suffixes {', '.join(SUFFIXES)}",
        f"use one of these suffixes, or {remedy}",
    )


def encoded_parts(
    recording: "Recording", analysis: "Analysis", profile: "Profile", file_format: OutputFormat
) -> Iterable[str | bytes]:
    """Return a profile in a format; an SVG has the default width."""
    if file_format == OutputFormat.HTML:
        from harness.profile.page_files import page_parts  # noqa: PLC0415 - start-up stays light

        return page_parts(recording, analysis)
    start_ns = recording.manifest.start_realtime_ns if recording.manifest is not None else None
    return (_WRITERS[file_format](profile, start_ns or 0),)


def converted_tables(path: Path, file_format: "FileFormat") -> bytes:
    """Return a pprof file as OTLP, or the other way round, with everything that both can say."""
    from topdown.stacks.formats.content import read_content  # noqa: PLC0415 - start-up stays light
    from topdown.stacks.formats.otlp import encode_otlp  # noqa: PLC0415
    from topdown.stacks.formats.pprof import encode_pprof  # noqa: PLC0415
    from topdown.stacks.formats.reading import read_tables  # noqa: PLC0415

    tables = read_tables(read_content(path), path.name, file_format)
    if file_format.value == OutputFormat.PPROF.value:
        return encode_otlp(tables)
    return encode_pprof(tables)


def _svg(profile: "Profile", _start_ns: int) -> bytes:
    from topdown.stacks.flame.svg import render_svg  # noqa: PLC0415 - start-up stays light

    return render_svg(profile, width=1200, inverted=False).encode("utf-8", "replace")


def _folded(profile: "Profile", _start_ns: int) -> bytes:
    from topdown.stacks.flame.folded import render_folded  # noqa: PLC0415

    return render_folded(profile).encode("utf-8", "replace")


def _pprof(profile: "Profile", start_ns: int) -> bytes:
    from topdown.stacks.formats.pprof import encode_pprof  # noqa: PLC0415
    from topdown.stacks.formats.profile_tables import tables_of  # noqa: PLC0415

    return encode_pprof(tables_of(profile, time_ns=start_ns))


def _otlp(profile: "Profile", start_ns: int) -> bytes:
    from topdown.stacks.formats.otlp import encode_otlp  # noqa: PLC0415
    from topdown.stacks.formats.profile_tables import tables_of  # noqa: PLC0415

    return encode_otlp(tables_of(profile, time_ns=start_ns))


def _speedscope(profile: "Profile", _start_ns: int) -> bytes:
    from topdown.stacks.formats.speedscope import encode_speedscope  # noqa: PLC0415

    return encode_speedscope(profile, PRODUCT)


def _firefox(profile: "Profile", start_ns: int) -> bytes:
    from topdown.stacks.formats.firefox import encode_firefox  # noqa: PLC0415

    return encode_firefox(profile, PRODUCT, start_ns / 1e6)


def _csv(profile: "Profile", _start_ns: int) -> bytes:
    from topdown.stacks.formats.stack_frame import stack_frame  # noqa: PLC0415

    text: str = stack_frame(profile).to_csv(index=False)
    return text.encode("utf-8", "replace")


def _parquet(profile: "Profile", _start_ns: int) -> bytes:
    from topdown.stacks.formats.stack_frame import parquet_bytes  # noqa: PLC0415

    return parquet_bytes(profile)


_WRITERS: dict[OutputFormat, Callable[["Profile", int], bytes]] = {
    OutputFormat.SVG: _svg,
    OutputFormat.FOLDED: _folded,
    OutputFormat.PPROF: _pprof,
    OutputFormat.OTLP: _otlp,
    OutputFormat.SPEEDSCOPE: _speedscope,
    OutputFormat.FIREFOX: _firefox,
    OutputFormat.CSV: _csv,
    OutputFormat.PARQUET: _parquet,
}
