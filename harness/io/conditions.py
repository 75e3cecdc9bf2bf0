"""The conditions of a disk measurement, which every verb's result states."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class DiskConditions:
    """What was measured, and how; ``facts`` are texts by label."""

    path: str
    modelled: bool
    facts: Mapping[str, str]
    warnings: tuple[str, ...]
    seconds: float  # that the whole measurement took

    @property
    def source(self) -> Literal["measured", "modelled"]:
        """Return "measured" or "modelled"."""
        return "modelled" if self.modelled else "measured"
