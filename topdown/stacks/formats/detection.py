"""The format of a file, detected by its content and never by its name."""

import re
from enum import StrEnum


class FileFormat(StrEnum):
    """A format of another tool."""

    PERF_SCRIPT = "perf script"
    FOLDED = "folded"
    PPROF = "pprof"
    OTLP = "otlp"
    SPEEDSCOPE = "speedscope"
    FIREFOX = "firefox"
    PERF_STAT = "perf stat"
    BENCHMARK = "benchmark"
    HISTOGRAM_LOG = "hdrhistogram"
    FIO = "fio"


_PERF_STAT_JSON = re.compile(rb'\s*\{[^{}]*"counter-value"')
_PERF_STAT_CSV = re.compile(rb"(?:\s*\d+\.\d+[,;])?(?:[\d.]+|<not (?:counted|supported)>)[,;]")
_EVENT_LINE = re.compile(rb"\S.*?\s+\d+(?:/\d+)?\s.*:")
_FOLDED_LINE = re.compile(rb"\S.* \d+(?:\.\d+)?$")
_MAX_EVENT_LINE = 512  # bytes
_MAX_FIELD = 15  # of the messages of pprof
_OTLP_FIELDS = {1, 2}
_OTHER_MAGICS = (b"PERFILE2", b"2ELIFREP", b"\x7fELF")  # captures of perf, and programs


def detect(head: bytes) -> FileFormat | None:
    """Return the format of content that begins with ``head``; None if it is none of these."""
    if head.startswith(_OTHER_MAGICS):
        return None
    if not _is_text(head):
        return _protobuf_format(head)
    text = head.lstrip()
    return _json_format(text) if text.startswith((b"{", b"[")) else _text_format(head)


def _is_text(head: bytes) -> bool:
    controls = sum(byte < 32 and byte not in b"\t\n\r\x1b" for byte in head[:4096])
    return controls == 0


def _json_format(text: bytes) -> FileFormat | None:
    if b"speedscope.app" in text or (b'"shared"' in text and b'"frames"' in text):
        return FileFormat.SPEEDSCOPE
    if b"preprocessedProfileVersion" in text or (b'"meta"' in text and b'"libs"' in text):
        return FileFormat.FIREFOX
    if b'"fio version"' in text:
        return FileFormat.FIO
    return FileFormat.PERF_STAT if _PERF_STAT_JSON.match(text) else None


def _text_format(head: bytes) -> FileFormat | None:
    if head.startswith((b"#[StartTime", b"#[BaseTime", b"#[Histogram log", b"#[Logged")):
        return FileFormat.HISTOGRAM_LOG
    if head.startswith((b"# HELP ", b"# TYPE ")):
        return None  # metrics of Prometheus, whose lines look like folded stacks
    lines = [line for line in head.split(b"\n") if line.strip() and not line.startswith(b"#")]
    if any(line.startswith((b"Benchmark", b"goos:", b"pkg:")) for line in lines[:50]):
        return FileFormat.BENCHMARK
    return _stack_format(lines) if lines else None


def _stack_format(lines: list[bytes]) -> FileFormat | None:
    first = lines[0]
    # The pattern takes time by the square of the length; no event line is as long as this.
    is_event_line = _EVENT_LINE.match(first[:_MAX_EVENT_LINE]) is not None
    is_folded = _FOLDED_LINE.fullmatch(first.rstrip(b"\r")) is not None
    has_columns = first.count(b",") >= 4 or first.count(b";") >= 4
    if has_columns and not is_folded and _PERF_STAT_CSV.match(first):
        return FileFormat.PERF_STAT
    if is_event_line and any(line[:1] in (b" ", b"\t") for line in lines[1:4]):
        return FileFormat.PERF_SCRIPT
    if is_folded or any(_FOLDED_LINE.fullmatch(line.rstrip(b"\r")) for line in lines[1:10]):
        return FileFormat.FOLDED
    return FileFormat.PERF_SCRIPT if is_event_line else None


def _protobuf_format(head: bytes) -> FileFormat | None:
    """Walk the fields of the outermost message as far as they are known."""
    fields = set()
    position = 0
    while position < len(head):
        tag, position = _varint(head, position)
        field, kind = tag >> 3, tag & 7
        if not 0 < field <= _MAX_FIELD or kind not in (0, 2):
            return None
        fields.add(field)
        value, position = _varint(head, position)
        if kind == 2:
            position += value
    if not fields:
        return None
    return FileFormat.OTLP if fields <= _OTLP_FIELDS and _has_message(head) else FileFormat.PPROF


def _has_message(head: bytes) -> bool:
    """Return whether field 1 holds a message of OTLP: its first field is a message as well."""
    _, position = _varint(head, 0)
    size, position = _varint(head, position)
    return size == 0 or head[position : position + 1] in (b"\x0a", b"\x12", b"\x1a")


def _varint(content: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(content) and shift < 64:
        byte = content[position]
        position += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    return value, position
