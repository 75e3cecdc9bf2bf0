"""Cells of a read/write matrix: the requested load, the reading, and whether it is valid.

A cell that reached less than 97 % of its load shows the latency of another load and is masked (the
idea comes from diskplorer). A cell that exceeded its load is masked too: it worked off the backlog
of a stall. So is a cell whose run failed its own checks.
"""

from dataclasses import dataclass
from enum import StrEnum

from ioprobe.engine.points import Latency

MAX_LOAD_ERROR = 0.03


class CellOutcome(StrEnum):
    """Validity of a cell."""

    KEPT = "kept"
    MISSED = "missed"  # reached less than its load
    FAILED = "failed"  # failed a check of the run itself
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class CellReading:
    """Result of one run; the latencies of a direction without requests are None."""

    iops: float
    bytes_per_s: float
    reads: Latency | None
    writes: Latency | None
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadWriteCell:
    """One cell; ``reason`` is empty for a kept cell, the only kind with a valid reading.

    The requested rate of a direction is None if its maximum could not be measured.
    """

    reads_per_s: float | None
    writes_per_s: float | None
    block_bytes: int
    outcome: CellOutcome
    reason: str
    reading: CellReading | None

    @property
    def valid_reading(self) -> CellReading | None:
        """Return the reading; None if the cell is masked."""
        return self.reading if self.outcome is CellOutcome.KEPT else None


def judge_cell(
    reads_per_s: float, writes_per_s: float, block_bytes: int, reading: CellReading | None
) -> ReadWriteCell:
    """Return the cell of a run; ``reading`` is None if the run had no result."""
    rate_per_s = reads_per_s + writes_per_s
    outcome, reason = CellOutcome.KEPT, ""
    if reading is None:
        outcome, reason = CellOutcome.FAILED, "the run ended without a result"
    elif reading.iops < (1 - MAX_LOAD_ERROR) * rate_per_s:
        outcome = CellOutcome.MISSED
        reason = f"reached {reading.iops:,.0f} of {rate_per_s:,.0f} requests per second"
    elif reading.iops > (1 + MAX_LOAD_ERROR) * rate_per_s:
        outcome = CellOutcome.FAILED
        reason = (
            f"worked off a backlog: {reading.iops:,.0f} requests per second instead of "
            f"{rate_per_s:,.0f}"
        )
    elif reading.failed:
        outcome, reason = CellOutcome.FAILED, "; ".join(reading.failed)
    return ReadWriteCell(reads_per_s, writes_per_s, block_bytes, outcome, reason, reading)


def skipped_cell(
    reads_per_s: float | None, writes_per_s: float | None, block_bytes: int, reason: str
) -> ReadWriteCell:
    """Return a cell that was not measured."""
    return ReadWriteCell(
        reads_per_s, writes_per_s, block_bytes, CellOutcome.NOT_TRIED, reason, None
    )
