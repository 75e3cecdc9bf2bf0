"""Limits of reading untrusted files: of one file, and of all files of an analysis."""

from msgspec import Struct


class ReadingLimits(Struct, frozen=True):
    """Limits of reading one file. Memory is in addition to that of this process."""

    memory_bytes: int = 1 << 30
    cpu_s: float = 3.0
    wall_s: float = 10.0
    output_bytes: int = 96 << 20


class ReadingBudget(Struct):
    """CPU time and elapsed time that all files of an analysis may take together, in seconds."""

    cpu_s: float = 30.0
    wall_s: float = 90.0

    @property
    def exhausted(self) -> str:
        """Return the limit that was reached, empty if none."""
        if self.cpu_s <= 0:
            return "the limit on CPU time for all files was reached"
        return "the limit on the time for all files was reached" if self.wall_s <= 0 else ""
