"""What a sampled instruction reads: its kind, and the name of the field."""

from dataclasses import dataclass
from enum import Enum

from topdown.stacks.elf.file import EM_X86_64


@dataclass(frozen=True, slots=True)
class FieldName:
    """A field of a type, as a program would write it; no field means the whole object."""

    type_name: str
    field: str

    @property
    def text(self) -> str:
        """Return ``type.field``."""
        separator = "" if not self.field or self.field.startswith("[") else "."
        return f"{self.type_name}{separator}{self.field}"


class LoadKind(Enum):
    """What is known about the instruction that took the time of a sample."""

    RESOLVED = "resolved"  # a load of a known field
    UNRESOLVED = "unresolved"  # a load of unknown data
    UNDETERMINED = "undetermined"  # a load or another instruction
    OTHER = "other"  # no load
    UNTYPED = "untyped"  # in code without type information


def decodes(machine: int) -> bool:
    """Return whether code of an e_machine can be analysed."""
    return machine == EM_X86_64
