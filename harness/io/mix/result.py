"""The result of `stallscope io mix`: a matrix of read and write rates, and request sizes."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from harness.io.conditions import DiskConditions
from harness.recordings.results import RecordedResult
from ioprobe.engine.points import Latency
from ioprobe.mix.cells import ReadWriteCell
from ioprobe.mix.measurement import ReadWriteMix, SizeRow
from stallscope.documents import Amount, Natural, Record
from stallscope.quantities import size_text


class LoadCell(Record, frozen=True, kw_only=True):
    """One load; a masked cell has a reason, and no bandwidth and latency.

    A requested rate is None if the maximum of its direction could not be measured.
    """

    reads_per_s: Amount | None = None
    writes_per_s: Amount | None = None
    outcome: str  # a CellOutcome, or one of a newer version
    why: str
    got_per_s: Amount | None = None
    bytes_per_s: Amount | None = None
    read_latency_ns: Latency | None = None
    write_latency_ns: Latency | None = None


class MatrixCell(LoadCell, frozen=True, kw_only=True):
    """A cell of the matrix, at shares of the maximum rates of reads and writes."""

    of_max_reads: Amount
    of_max_writes: Amount


class SizeCells(Record, frozen=True, kw_only=True):
    """One request size and direction: the maximum rate, and a cell for each share of it."""

    block_bytes: Natural
    kind: Literal["reads", "writes"]
    max_per_s: Amount | None = None
    cells: tuple[LoadCell, ...]


class MixResult(RecordedResult, frozen=True, kw_only=True, tag="stallscope.io.mix/1"):
    """Reads and writes together; rates are in requests per second, None if not measured."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {
        "of_most_reads": "of_max_reads",
        "of_most_writes": "of_max_writes",
        "most_per_s": "max_per_s",
        "most_reads_per_s": "max_reads_per_s",
        "most_writes_per_s": "max_writes_per_s",
    }

    path: str
    block_bytes: Natural
    max_reads_per_s: Amount | None = None
    max_writes_per_s: Amount | None = None
    shares: tuple[Amount, ...]
    cells: tuple[MatrixCell, ...]
    size_shares: tuple[Amount, ...]
    sizes: tuple[SizeCells, ...]
    facts: dict[str, str]  # label to text
    seconds: Amount = 0.0

    @property
    def title(self) -> str:
        """Return the subject of the measurement."""
        return f"Reads and writes together on {self.path}"

    @property
    def requests(self) -> str:
        """Return the requests of the matrix in words."""
        return f"{size_text(self.block_bytes)} random requests"

    @property
    def all_cells(self) -> tuple[LoadCell, ...]:
        """Return the cells of the matrix and of all sizes."""
        return (*self.cells, *(cell for row in self.sizes for cell in row.cells))


def mix_result(mix: ReadWriteMix, conditions: DiskConditions) -> MixResult:
    """Return the result of a measured or simulated mix."""
    return MixResult(
        source=conditions.source,
        complete=mix.complete,
        warnings=conditions.warnings,
        path=conditions.path,
        block_bytes=mix.plan.block_bytes,
        max_reads_per_s=mix.max_reads,
        max_writes_per_s=mix.max_writes,
        shares=mix.plan.shares,
        cells=tuple(
            MatrixCell(of_max_reads=of_reads, of_max_writes=of_writes, **_cell_values(cell))
            for of_writes, row in zip(mix.plan.shares, mix.matrix, strict=False)
            for of_reads, cell in zip(mix.plan.shares, row, strict=True)
            if cell is not None
        ),
        size_shares=mix.plan.size_shares,
        sizes=tuple(map(_size_cells, mix.sizes)),
        facts=dict(conditions.facts),
        seconds=conditions.seconds,
    )


def _size_cells(row: SizeRow) -> SizeCells:
    return SizeCells(
        block_bytes=row.block_bytes,
        kind="writes" if row.writes else "reads",
        max_per_s=row.max_per_s,
        cells=tuple(LoadCell(**_cell_values(cell)) for cell in row.cells),
    )


def _cell_values(cell: ReadWriteCell) -> dict[str, Any]:
    """Return the fields of a LoadCell."""
    reading = cell.valid_reading
    return {
        "reads_per_s": cell.reads_per_s,
        "writes_per_s": cell.writes_per_s,
        "outcome": str(cell.outcome),
        "why": cell.reason,
        "got_per_s": cell.reading.iops if cell.reading else None,
        "bytes_per_s": reading.bytes_per_s if reading else None,
        "read_latency_ns": reading.reads if reading else None,
        "write_latency_ns": reading.writes if reading else None,
    }
