"""Cells of a read/write matrix: what was asked, what came of it, and whether it may be shown.

A cell that got less than 97 % of the load it was commanded shows another load's latency, and is
masked (the idea is diskplorer's). So is one that got more, as it worked off what a stall before it
had left, and one whose run failed its own checks.
"""

from dataclasses import dataclass
from enum import StrEnum

from ioprobe.engine.points import Latency

MISSED_SHARE = 0.03


class Outcome(StrEnum):
    """What became of a cell."""

    KEPT = "kept"
    MISSED = "missed"  # got less load than it was commanded
    FAILED = "failed"  # a check of the run itself
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class MixReading:
    """What one run measured; latencies of a direction are None where it had no requests."""

    iops: float
    bytes_per_s: float
    reads: Latency | None
    writes: Latency | None
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; ``why`` is empty where it was kept, and only then ``reading`` may be shown.

    What was to be asked of a direction is None where the most of it could not be measured.
    """

    reads_per_s: float | None
    writes_per_s: float | None
    block_bytes: int
    outcome: Outcome
    why: str
    reading: MixReading | None

    @property
    def shown(self) -> MixReading | None:
        """Return what was measured, unless it is masked."""
        return self.reading if self.outcome is Outcome.KEPT else None


def judged(
    reads_per_s: float, writes_per_s: float, block_bytes: int, reading: MixReading | None
) -> Cell:
    """Return the cell of a run; of no run where the reading is None."""
    asked = reads_per_s + writes_per_s
    outcome, why = Outcome.KEPT, ""
    if reading is None:
        outcome, why = Outcome.FAILED, "the run ended without a result"
    elif reading.iops < (1 - MISSED_SHARE) * asked:
        outcome = Outcome.MISSED
        why = f"asked for {asked:,.0f} requests a second, got {reading.iops:,.0f}"
    elif reading.iops > (1 + MISSED_SHARE) * asked:
        outcome = Outcome.FAILED
        why = (
            f"worked off a backlog: {reading.iops:,.0f} requests a second, "
            f"{asked:,.0f} were asked for"
        )
    elif reading.failed:
        outcome, why = Outcome.FAILED, "; ".join(reading.failed)
    return Cell(reads_per_s, writes_per_s, block_bytes, outcome, why, reading)


def not_tried(
    reads_per_s: float | None, writes_per_s: float | None, block_bytes: int, why: str
) -> Cell:
    """Return a cell that was left out, and why."""
    return Cell(reads_per_s, writes_per_s, block_bytes, Outcome.NOT_TRIED, why, None)
