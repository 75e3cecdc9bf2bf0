"""Folded stacks: `process;outermost;...;leaf count`, one stack per line."""

from collections.abc import Iterator
from pathlib import Path

from stallscope.errors import RecordingError
from topdown.stacks.formats.profile_builder import UNNAMED, ProfileBuilder
from topdown.stacks.profile import UNKNOWN_SCOPE, FunctionKind, Profile, SampleSource, Thread
from topdown.stacks.profile_warning import ProfileWarning

MAX_LINE_BYTES = 1 << 20
MAX_COUNT = (1 << 63) - 1  # larger counts are taken as this one
_MAX_DIGITS = 20
_SUFFIXES = {"_[k]": FunctionKind.KERNEL, "_[i]": FunctionKind.INLINED}
_MODULES = {FunctionKind.KERNEL: "[kernel]"}
_SOURCE = SampleSource("samples", "measured", "samples", None, None, UNKNOWN_SCOPE)


def read_folded(path: Path, name: str) -> Profile:
    """Return the profile of folded text; the first field of a line is the process.

    RecordingError if no line is a stack with a count.
    """
    builder = ProfileBuilder()
    functions: dict[bytes, int] = {}
    malformed, first_malformed, stacks = 0, 0, 0
    for number, line in _lines(path):
        text, _, count = line.rpartition(b" ")
        value = _count(count)
        if not text or value is None:
            malformed += 1
            first_malformed = first_malformed or number
            continue
        process, *frames = text.split(b";")
        process_name = _text(process)
        thread = builder.thread(Thread(0, 0, process_name, process_name))
        numbers = []
        for frame in frames:
            function = functions.get(frame)
            if function is None:
                function = functions[frame] = _function(builder, _text(frame))
            numbers.append(function)
        builder.add(numbers, thread, samples=value, value=value)
        stacks += 1
    if not stacks:
        raise RecordingError(
            f"{name} has no folded stack", "expected lines such as: server;main;work 12"
        )
    warnings: tuple[ProfileWarning, ...] = ()
    if malformed:
        message = f"{malformed:,} malformed lines are left out, the first is {first_malformed}"
        warnings = (ProfileWarning("import", message),)
    return builder.build(_SOURCE, name, warnings=warnings)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of the lines; a line over the limit is yielded empty."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES):
            number += 1
            if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                yield number, b""
            elif line.strip():
                yield number, line.rstrip(b"\r\n")


def _count(text: bytes) -> int | None:
    """Return a count of samples; fractions are rounded."""
    if text.isdigit():
        return min(int(text), MAX_COUNT) if len(text) < _MAX_DIGITS else MAX_COUNT
    try:
        value = float(text)
    except ValueError:
        return None
    return round(value) if 0 <= value < MAX_COUNT else None


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _function(builder: ProfileBuilder, name: str) -> int:
    if name in UNNAMED:
        return builder.function(name or "[unknown]", "", FunctionKind.UNKNOWN)
    if name.startswith("[truncated"):
        return builder.function(name, "", FunctionKind.TRUNCATED)
    for suffix, kind in _SUFFIXES.items():
        if name.endswith(suffix):
            return builder.function(name.removesuffix(suffix), _MODULES.get(kind, ""), kind)
    return builder.function(name, "", FunctionKind.USER)
