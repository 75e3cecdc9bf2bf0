"""Where the fields of a tracepoint lie, as the kernel's own format files tell."""

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
    """A tracepoint's number in the ring buffer, and its fields: name to offset, size, signed."""

    name: str
    number: int
    fields: dict[str, tuple[int, int, int]]

    def reader(self, *names: str) -> struct.Struct:
        """Return what unpacks these fields from a record, in this order, which is the offsets'.

        Raises UnableError where this kernel's record has no such field.
        """
        text, at = "=", 0
        for name in names:
            if name not in self.fields:
                raise self._odd(f"has no field {name}")
            offset, size, signed = self.fields[name]
            letter = f"{size}s" if name.endswith("comm") else _LETTERS.get((size, signed))
            if letter is None or offset < at:
                raise self._odd(f"lays {name} out as none before")
            text += f"{offset - at}x{letter}"
            at = offset + size
        return struct.Struct(text)

    def _odd(self, what: str) -> UnableError:
        return UnableError(
            f"the tracepoint {self.name} of this kernel {what}",
            "measure without tracepoints on this kernel",
        )


def read_event_format(events: Path, name: str) -> EventFormat | None:
    """Return the format of a tracepoint, as "power/cpu_idle"; None where the kernel has none."""
    text = read_text(events / name / "format", 65536)
    number = _ID.search(text or "")
    if text is None or number is None:
        return None
    fields = {
        found[1]: (int(found[2]), int(found[3]), int(found[4])) for found in _FIELD.finditer(text)
    }
    return EventFormat(name, int(number[1]), fields)
