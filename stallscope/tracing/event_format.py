"""The layout of tracepoint records, from the kernel's format files."""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import UnableError
from stallscope.system_files import read_text

_ID = re.compile(r"^ID: (\d{1,5})$", re.MULTILINE)
_FIELD = re.compile(
    r"field:[^;]*?(\w+)(?:\[\d*\])?;\s*offset:(\d+);\s*size:(\d+);\s*signed:([01]);"
)
_LETTERS = {(1, 0): "B", (1, 1): "b", (2, 0): "H", (2, 1): "h"}
_LETTERS |= {(4, 0): "I", (4, 1): "i", (8, 0): "Q", (8, 1): "q"}


@dataclass(frozen=True, slots=True)
class EventFormat:
    """The number of a tracepoint and its fields by name: offset, size, signed."""

    name: str
    number: int
    fields: dict[str, tuple[int, int, int]]

    def reader(self, *names: str) -> struct.Struct:
        """Return a struct that unpacks these fields, which must be in the order of their offsets.

        Raises UnableError if the record of this kernel has no such field.
        """
        text, position = "=", 0
        for name in names:
            if name not in self.fields:
                raise self._unsupported(f"has no field {name}")
            offset, size, signed = self.fields[name]
            letter = f"{size}s" if name.endswith("comm") else _LETTERS.get((size, signed))
            if letter is None or offset < position:
                raise self._unsupported(f"has an unknown layout of {name}")
            text += f"{offset - position}x{letter}"
            position = offset + size
        return struct.Struct(text)

    def _unsupported(self, problem: str) -> UnableError:
        return UnableError(
            f"the tracepoint {self.name} of this kernel {problem}",
            "measure without tracepoints on this kernel",
        )


def read_event_format(events: Path, name: str) -> EventFormat | None:
    """Return the format of a tracepoint such as "power/cpu_idle"; None if the kernel lacks it."""
    text = read_text(events / name / "format", 65536)
    number = _ID.search(text or "")
    if text is None or number is None:
        return None
    fields = {
        field[1]: (int(field[2]), int(field[3]), int(field[4])) for field in _FIELD.finditer(text)
    }
    return EventFormat(name, int(number[1]), fields)
