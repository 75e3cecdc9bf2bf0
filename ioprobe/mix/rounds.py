"""The course of measuring a read/write matrix and request sizes, least load first.

Beyond a cell that missed its load in both of two tries no cell is tried: it would miss as well.
How a run is made is passed in, so that a model of a disk goes through the same course.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ioprobe.curve.plan import is_flat
from ioprobe.mix.cells import Cell, MixReading, Outcome, judged, not_tried
from ioprobe.mix.plan import MixPlan, MixStep
from stallscope.errors import StallscopeError

MixMeasure = Callable[[MixStep], MixReading | None]
_BEYOND = "a cell with less of both loads missed"
_NO_MOST = "the most of these requests could not be measured"
_ENDED = "the measurement was ended before"
_CLIMB_STEPS = 5  # as a rule, of half a cell's length


@dataclass(frozen=True, slots=True)
class MixProgress:
    """How far it is, in seconds of measuring."""

    what: str
    done_s: float
    left_s: float


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One size of requests of one direction: the most of them, and a cell for each share of it."""

    block_bytes: int
    writes: bool
    most_per_s: float | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Mix:
    """What was measured; ``matrix`` has a row for each rate of writes, a cell for each of reads.

    The cell without any load is None. ``most_reads`` and ``most_writes`` are requests a second of
    one direction alone; None where that was not measured.
    """

    plan: MixPlan
    most_reads: float | None
    most_writes: float | None
    matrix: tuple[tuple[Cell | None, ...], ...]
    sizes: tuple[SizeRow, ...]
    complete: bool
    failure: StallscopeError | None = None  # what ended it, where the disk or the engine did


@dataclass(slots=True)
class _Course:
    """One matrix being measured; ``left`` counts the cells and climbs yet to come."""

    plan: MixPlan
    measure: MixMeasure
    on_progress: Callable[[MixProgress], None]
    most: dict[tuple[int, bool], float] = field(default_factory=dict)
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    size_cells: dict[tuple[int, bool], list[Cell]] = field(default_factory=dict)
    runs: int = 0
    done_s: float = 0.0
    left: int = 0

    def directions(self) -> tuple[bool, ...]:
        """Return whether writes, for each direction to be measured."""
        return (False, True) if self.plan.writes else (False,)

    def run(self) -> None:
        """Measure all; what is there stays where this is interrupted."""
        plan = self.plan
        rows = len(plan.sizes_bytes) * len(self.directions())
        in_matrix = len(plan.places()) if plan.writes else 0
        self.left = in_matrix + rows * (len(plan.size_shares) + _CLIMB_STEPS // 2)
        for writes in self.directions():
            self.climb(plan.block_bytes, writes)
        if plan.writes:
            for at in plan.places():
                self.cell(at)
        for writes in self.directions():
            for block_bytes in plan.sizes_bytes:
                self.size_row(block_bytes, writes)

    def climb(self, block_bytes: int, writes: bool) -> None:
        """Find the most requests a second of a size and direction."""
        if (block_bytes, writes) in self.most:
            return
        rates: list[float] = []
        for step in self.plan.climb(block_bytes, 0.0 if writes else 1.0):
            reading = self.made(step, f"most {_what(block_bytes, writes)}")
            if reading is not None and not reading.failed:
                rates.append(reading.iops)
            if is_flat(rates):
                break
        if rates:
            self.most[block_bytes, writes] = max(rates)

    def cell(self, at: tuple[int, int]) -> None:
        """Measure a cell of the matrix, unless it lies beyond one that missed."""
        self.left -= 1
        reads, writes = self.rates(at)
        block_bytes = self.plan.block_bytes
        if reads is None or writes is None:
            self.cells[at] = not_tried(reads, writes, block_bytes, _NO_MOST)
        elif self.is_beyond(at):
            self.cells[at] = not_tried(reads, writes, block_bytes, _BEYOND)
        else:
            self.cells[at] = self.tried(reads, writes, block_bytes)

    def is_beyond(self, at: tuple[int, int]) -> bool:
        """Return whether a cell with no more of either load has missed."""
        return any(
            one.outcome is Outcome.MISSED and place[0] <= at[0] and place[1] <= at[1]
            for place, one in self.cells.items()
        )

    def tried(self, reads: float, writes: float, block_bytes: int) -> Cell:
        """Return a measured cell; one that missed or failed is measured once more."""
        rate = reads + writes
        found = None
        for _ in range(2):
            step = self.plan.step(block_bytes, reads / rate, rate, self.plan.seed + self.runs)
            what = f"{reads:,.0f} reads/s and {writes:,.0f} writes/s"
            found = judged(reads, writes, block_bytes, self.made(step, what))
            if found.outcome is Outcome.KEPT:
                break
        assert found is not None
        return found

    def size_row(self, block_bytes: int, writes: bool) -> None:
        """Measure the shares of a size's most requests a second, until one misses."""
        self.climb(block_bytes, writes)
        self.left -= _CLIMB_STEPS // 2
        most = self.most.get((block_bytes, writes))
        cells = self.size_cells.setdefault((block_bytes, writes), [])
        for share in self.plan.size_shares:
            self.left -= 1
            if most is None:
                continue
            rate = share * most
            loads = (0.0, rate) if writes else (rate, 0.0)
            if any(one.outcome is Outcome.MISSED for one in cells):
                cells.append(not_tried(*loads, block_bytes, _BEYOND))
            else:
                cells.append(self.tried(*loads, block_bytes))

    def rates(self, at: tuple[int, int]) -> tuple[float | None, float | None]:
        """Return the rates of reads and writes of a cell; None where the most is not known."""
        return self._rate(at[0], writes=False), self._rate(at[1], writes=True)

    def _rate(self, place: int, *, writes: bool) -> float | None:
        share, most = self.plan.shares[place], self.most.get((self.plan.block_bytes, writes))
        if share == 0:
            return 0.0
        return None if most is None else share * most

    def made(self, step: MixStep, what: str) -> MixReading | None:
        """Return a run's result."""
        left_s = max(0, self.left) * self.plan.length_s
        self.on_progress(MixProgress(what, self.done_s, left_s + step.duration_s + step.warmup_s))
        self.runs += 1
        reading = self.measure(step)
        self.done_s += step.warmup_s + step.duration_s
        return reading

    def result(self, *, complete: bool) -> Mix:
        """Return what there is."""
        plan, count = self.plan, range(len(self.plan.shares))
        matrix = tuple(
            tuple(
                self.cells.get((r, w)) or not_tried(*self.rates((r, w)), plan.block_bytes, _ENDED)
                if r or w
                else None
                for r in count
            )
            for w in count
        )
        sizes = tuple(
            SizeRow(size, writes, self.most.get((size, writes)), tuple(cells))
            for (size, writes), cells in self.size_cells.items()
        )
        most = [self.most.get((plan.block_bytes, writes)) for writes in (False, True)]
        return Mix(plan, most[0], most[1], matrix if plan.writes else (), sizes, complete)


def _what(block_bytes: int, writes: bool) -> str:
    return f"{'writes' if writes else 'reads'} of {block_bytes // 1024} KiB"


def measure_mix(
    plan: MixPlan, measure: MixMeasure, on_progress: Callable[[MixProgress], None]
) -> Mix:
    """Return the matrix and the sizes; what was measured so far where it is ended before."""
    course = _Course(plan, measure, on_progress)
    try:
        course.run()
    except KeyboardInterrupt:
        if not course.most:
            raise
        return course.result(complete=False)
    except StallscopeError as error:
        if not course.most:
            raise
        return replace(course.result(complete=False), failure=error)
    return course.result(complete=True)
