"""Lines of JSON that the collector wrote beside the samples; names in them are not trusted."""

import json
import re
from collections.abc import Callable, Iterator

from stallscope.printable import MAX_NAME_LENGTH, printable
from stallscope.regular_file import RegularFile

MAX_FILE = 2 << 30
_BLOCK = 4 << 20
_MAX_LINE = 8 << 20
MAX_COUNT = 1 << 62
_SURROGATE = re.compile("[\ud800-\udfff]")


class DamagedLineError(ValueError):
    """A line is malformed."""


def check_format(entry: dict[str, object], name: str, major: str) -> None:
    """Raise DamagedLineError unless the first line names this format and major version."""
    written, _, version = str(entry.get("format")).partition("/")
    if written != name or version.partition(".")[0] != major:
        raise DamagedLineError(f"expected format {name}/{major}.x")


def complete_lines(file: RegularFile) -> Iterator[bytes]:
    """Yield complete lines; text after the last newline is an unfinished line."""
    rest = b""
    size = min(file.size, MAX_FILE)
    for offset in range(0, size, _BLOCK):
        *whole, rest = (rest + file.read(offset, min(_BLOCK, size - offset))).split(b"\n")
        yield from whole
        if len(rest) > _MAX_LINE:
            raise DamagedLineError("the line is too long")


def read_entries(
    file: RegularFile, name: str, major: str, add: Callable[[dict[str, object]], None]
) -> str:
    """Return where and why the file is damaged, empty if it is not.

    The first line names the format and its major version. The entries of all other lines before the
    damage are passed to ``add``, which raises DamagedLineError for a malformed one.
    """
    number = 1
    try:
        for number, line in enumerate(complete_lines(file), 1):
            entry = json.loads(line)
            if not isinstance(entry, dict):
                raise DamagedLineError("expected a JSON object")
            check_format(entry, name, major) if number == 1 else add(entry)
    except (ValueError, RecursionError) as error:
        reason = printable(str(error))[:200]
        return f"{printable(file.name)}: line {number} is damaged ({reason})"
    return ""


def count_of(entry: dict[str, object], key: str) -> int:
    """Return the count at a key; raises DamagedLineError."""
    value = entry.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MAX_COUNT:
        raise DamagedLineError(f"{key}: expected a count")
    return value


def text_of(entry: dict[str, object], key: str) -> str:
    """Return the text at a key; raises DamagedLineError."""
    value = entry.get(key)
    if not isinstance(value, str):
        raise DamagedLineError(f"{key}: expected a string")
    return value


def clean(text: str) -> str:
    """Return a text in which lone surrogates, which encode invalid bytes, are replaced."""
    return _SURROGATE.sub("\ufffd", text[:MAX_NAME_LENGTH])
