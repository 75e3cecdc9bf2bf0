"""Measurement of a read/write matrix and a table of request sizes, the smallest load first.

If a cell misses its load twice, cells with more of both loads are skipped: they would miss too.
The function that measures a run is a parameter, so that tests can use a model of a disk.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ioprobe.curve.plan import is_flat
from ioprobe.mix.cells import CellOutcome, CellReading, ReadWriteCell, judge_cell, skipped_cell
from ioprobe.mix.plan import MixPlan, MixStep
from stallscope.errors import StallscopeError

MeasureMixStep = Callable[[MixStep], CellReading | None]
_BEYOND_MISS = "a cell with less load missed"
_NO_MAXIMUM = "the maximum rate of these requests could not be measured"
_ENDED_BEFORE = "the measurement ended before"
_USUAL_CLIMB_STEPS = 5  # each takes half as long as a cell


@dataclass(frozen=True, slots=True)
class MixProgress:
    """Progress in seconds of measurement."""

    phase: str
    done_s: float
    left_s: float


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One request size and direction: the maximum rate, and a cell for each share of it."""

    block_bytes: int
    writes: bool
    max_per_s: float | None
    cells: tuple[ReadWriteCell, ...]


@dataclass(frozen=True, slots=True)
class ReadWriteMix:
    """A measured mix; ``matrix`` has a row per rate of writes and a cell per rate of reads.

    The cell without any load is None. ``max_reads`` and ``max_writes`` are requests per second
    of one direction alone; None if not measured. ``failure`` is the error of the disk or the engine
    that ended the measurement.
    """

    plan: MixPlan
    max_reads: float | None
    max_writes: float | None
    matrix: tuple[tuple[ReadWriteCell | None, ...], ...]
    sizes: tuple[SizeRow, ...]
    complete: bool
    failure: StallscopeError | None = None


@dataclass(slots=True)
class _MixMeasurement:
    """A mix while it is measured; ``cells_left`` includes the climbs, in units of cells."""

    plan: MixPlan
    measure: MeasureMixStep
    on_progress: Callable[[MixProgress], None]
    max_rates: dict[tuple[int, bool], float] = field(default_factory=dict)
    cells: dict[tuple[int, int], ReadWriteCell] = field(default_factory=dict)
    size_cells: dict[tuple[int, bool], list[ReadWriteCell]] = field(default_factory=dict)
    runs: int = 0
    done_s: float = 0.0
    cells_left: int = 0

    def directions(self) -> tuple[bool, ...]:
        """Return the value of ``writes`` for each direction to measure."""
        return (False, True) if self.plan.writes else (False,)

    def run(self) -> None:
        """Measure everything; results so far stay if an exception ends it."""
        plan = self.plan
        rows = len(plan.sizes_bytes) * len(self.directions())
        in_matrix = len(plan.cell_indices()) if plan.writes else 0
        self.cells_left = in_matrix + rows * (len(plan.size_shares) + _USUAL_CLIMB_STEPS // 2)
        for writes in self.directions():
            self.find_max_rate(plan.block_bytes, writes)
        if plan.writes:
            for index in plan.cell_indices():
                self.measure_cell(index)
        for writes in self.directions():
            for block_bytes in plan.sizes_bytes:
                self.measure_size(block_bytes, writes)

    def find_max_rate(self, block_bytes: int, writes: bool) -> None:
        """Measure the maximum rate of a size and direction."""
        if (block_bytes, writes) in self.max_rates:
            return
        rates: list[float] = []
        for step in self.plan.climb(block_bytes, 0.0 if writes else 1.0):
            reading = self.measure_step(
                step, f"maximum rate of {_requests_text(block_bytes, writes)}"
            )
            if reading is not None and not reading.failed:
                rates.append(reading.iops)
            if is_flat(rates):
                break
        if rates:
            self.max_rates[block_bytes, writes] = max(rates)

    def measure_cell(self, index: tuple[int, int]) -> None:
        """Measure a cell of the matrix, unless it lies beyond a cell that missed its load."""
        self.cells_left -= 1
        reads, writes = self.rates(index)
        block_bytes = self.plan.block_bytes
        if reads is None or writes is None:
            self.cells[index] = skipped_cell(reads, writes, block_bytes, _NO_MAXIMUM)
        elif self.is_beyond_miss(index):
            self.cells[index] = skipped_cell(reads, writes, block_bytes, _BEYOND_MISS)
        else:
            self.cells[index] = self.measure_load(reads, writes, block_bytes)

    def is_beyond_miss(self, index: tuple[int, int]) -> bool:
        """Return whether a cell with at most these rates has missed its load."""
        return any(
            cell.outcome is CellOutcome.MISSED and other[0] <= index[0] and other[1] <= index[1]
            for other, cell in self.cells.items()
        )

    def measure_load(self, reads: float, writes: float, block_bytes: int) -> ReadWriteCell:
        """Return a measured cell; a cell that misses or fails is measured once more."""
        rate = reads + writes
        cell = None
        for _ in range(2):
            step = self.plan.step(block_bytes, reads / rate, rate, self.plan.seed + self.runs)
            phase = f"{reads:,.0f} reads/s and {writes:,.0f} writes/s"
            cell = judge_cell(reads, writes, block_bytes, self.measure_step(step, phase))
            if cell.outcome is CellOutcome.KEPT:
                break
        assert cell is not None
        return cell

    def measure_size(self, block_bytes: int, writes: bool) -> None:
        """Measure shares of the maximum rate of a size, until a share misses."""
        self.find_max_rate(block_bytes, writes)
        self.cells_left -= _USUAL_CLIMB_STEPS // 2
        max_rate = self.max_rates.get((block_bytes, writes))
        cells = self.size_cells.setdefault((block_bytes, writes), [])
        for share in self.plan.size_shares:
            self.cells_left -= 1
            if max_rate is None:
                continue
            rate = share * max_rate
            loads = (0.0, rate) if writes else (rate, 0.0)
            if any(cell.outcome is CellOutcome.MISSED for cell in cells):
                cells.append(skipped_cell(*loads, block_bytes, _BEYOND_MISS))
            else:
                cells.append(self.measure_load(*loads, block_bytes))

    def rates(self, index: tuple[int, int]) -> tuple[float | None, float | None]:
        """Return the rates of reads and writes of a cell; None if the maximum is unknown."""
        return self._rate(index[0], writes=False), self._rate(index[1], writes=True)

    def _rate(self, share_index: int, *, writes: bool) -> float | None:
        share = self.plan.shares[share_index]
        max_rate = self.max_rates.get((self.plan.block_bytes, writes))
        if share == 0:
            return 0.0
        return None if max_rate is None else share * max_rate

    def measure_step(self, step: MixStep, phase: str) -> CellReading | None:
        """Return the result of a run."""
        left_s = max(0, self.cells_left) * self.plan.length_s
        self.on_progress(MixProgress(phase, self.done_s, left_s + step.duration_s + step.warmup_s))
        self.runs += 1
        reading = self.measure(step)
        self.done_s += step.warmup_s + step.duration_s
        return reading

    def result(self, *, complete: bool) -> ReadWriteMix:
        """Return the results so far."""
        plan, indices = self.plan, range(len(self.plan.shares))
        matrix = tuple(
            tuple(self._cell_or_skipped((r, w)) if r or w else None for r in indices)
            for w in indices
        )
        sizes = tuple(
            SizeRow(size, writes, self.max_rates.get((size, writes)), tuple(cells))
            for (size, writes), cells in self.size_cells.items()
        )
        reads, writes = (self.max_rates.get((plan.block_bytes, kind)) for kind in (False, True))
        return ReadWriteMix(plan, reads, writes, matrix if plan.writes else (), sizes, complete)

    def _cell_or_skipped(self, index: tuple[int, int]) -> ReadWriteCell:
        cell = self.cells.get(index)
        if cell is None:
            cell = skipped_cell(*self.rates(index), self.plan.block_bytes, _ENDED_BEFORE)
        return cell


def _requests_text(block_bytes: int, writes: bool) -> str:
    return f"{block_bytes // 1024} KiB {'writes' if writes else 'reads'}"


def measure_mix(
    plan: MixPlan, measure: MeasureMixStep, on_progress: Callable[[MixProgress], None]
) -> ReadWriteMix:
    """Return the matrix and the sizes; after Ctrl-C or an error, the part measured so far."""
    measurement = _MixMeasurement(plan, measure, on_progress)
    try:
        measurement.run()
    except KeyboardInterrupt:
        if not measurement.max_rates:
            raise
        return measurement.result(complete=False)
    except StallscopeError as error:
        if not measurement.max_rates:
            raise
        return replace(measurement.result(complete=False), failure=error)
    return measurement.result(complete=True)
