"""Read/write matrices of a modelled disk: kept, missed and skipped cells."""

from dataclasses import replace

import pytest

from ioprobe.mix.cells import CellOutcome
from ioprobe.mix.measurement import MixProgress, measure_mix
from ioprobe.mix.plan import KIB, MIB, MixPlan
from stallscope.errors import UnableError
from tests.ioprobe.mix_model import MixModel


def silent(progress: MixProgress) -> None:
    """Ignore the progress."""


def test_cells_within_the_limits_are_kept_and_others_masked() -> None:
    model = MixModel()
    result = measure_mix(MixPlan(), model.measure, silent)
    assert result.complete
    assert (result.max_reads, result.max_writes) == pytest.approx((100_000, 40_000))
    for w, row in enumerate(result.matrix):
        for r, cell in enumerate(row):
            if cell is None:
                assert (r, w) == (0, 0)
                continue
            shares = result.plan.shares[r] + result.plan.shares[w]
            if shares <= 1:
                assert cell.outcome is CellOutcome.KEPT
                assert cell.valid_reading is not None
                assert (cell.valid_reading.reads is None) == (r == 0)
                assert (cell.valid_reading.writes is None) == (w == 0)
            elif shares > 1.05:
                assert cell.outcome in (CellOutcome.MISSED, CellOutcome.NOT_TRIED)
                assert cell.valid_reading is None
                assert cell.reason


def test_cells_beyond_a_missed_cell_are_skipped() -> None:
    model = MixModel()
    result = measure_mix(MixPlan(), model.measure, silent)
    outcomes = [cell.outcome for row in result.matrix for cell in row if cell]
    assert outcomes.count(CellOutcome.NOT_TRIED) >= 6
    tried = [step for step in model.steps if step.rate_per_s and 0 < step.read_share < 1]
    kept_and_missed = [cell for row in result.matrix[1:] for cell in row[1:] if cell.reading]
    missed = [cell for cell in kept_and_missed if cell.outcome is CellOutcome.MISSED]
    assert len(tried) == len(kept_and_missed) + len(missed)  # a cell that misses is measured twice


def test_each_size_has_its_maximum_rate() -> None:
    result = measure_mix(MixPlan(), MixModel().measure, silent)
    assert [(row.block_bytes, row.writes) for row in result.sizes] == [
        (size, writes)
        for writes in (False, True)
        for size in (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB)
    ]
    largest = next(row for row in result.sizes if row.block_bytes == MIB and not row.writes)
    assert largest.max_per_s == pytest.approx(100_000 / 16)
    assert [cell.outcome for cell in largest.cells] == [CellOutcome.KEPT] * 4


def test_bytes_in_flight_are_limited() -> None:
    model = MixModel()
    measure_mix(MixPlan(), model.measure, silent)
    assert max(step.depth * step.block_bytes for step in model.steps) <= 32 * MIB


def test_a_plan_without_writes_has_no_matrix() -> None:
    model = MixModel()
    result = measure_mix(MixPlan(writes=False), model.measure, silent)
    assert result.matrix == ()
    assert result.max_writes is None
    assert {step.read_share for step in model.steps} == {1.0}


def test_a_cell_that_fails_a_check_twice_is_masked() -> None:
    model = MixModel()
    spoiled = []

    def measure(step):
        reading = model.measure(step)
        if step.read_share == 1.0 and step.rate_per_s == pytest.approx(20_000):
            spoiled.append(step)
            return replace(reading, failed=("a check",))
        return reading

    result = measure_mix(MixPlan(), measure, silent)
    cell = result.matrix[0][1]
    assert cell is not None
    assert (cell.outcome, cell.reason, len(spoiled)) == (CellOutcome.FAILED, "a check", 2)
    assert result.matrix[0][2] is not None
    assert result.matrix[0][2].outcome is CellOutcome.KEPT  # a failed check is not a missed load


def test_an_unknown_maximum_rate_skips_its_cells() -> None:
    """If the maximum rate of writes fails its checks, cells with writes are skipped."""
    model = MixModel()

    def measure(step):
        reading = model.measure(step)
        return replace(reading, failed=("a check",)) if step.read_share == 0.0 else reading

    result = measure_mix(MixPlan(), measure, silent)
    assert result.max_writes is None
    cell = result.matrix[1][1]
    assert cell is not None
    assert (cell.outcome, cell.writes_per_s, cell.reading) == (CellOutcome.NOT_TRIED, None, None)
    assert cell.reads_per_s == pytest.approx(20_000)
    assert "the maximum rate of these" in cell.reason
    alone = result.matrix[0][1]
    assert alone is not None
    assert (alone.outcome, alone.writes_per_s) == (CellOutcome.KEPT, 0.0)


def test_an_interrupted_matrix_keeps_its_cells() -> None:
    model = MixModel()

    def measure(step):
        if len(model.steps) == 20:
            raise KeyboardInterrupt
        return model.measure(step)

    result = measure_mix(MixPlan(), measure, silent)
    assert not result.complete
    kept = [cell for row in result.matrix for cell in row if cell and cell.valid_reading]
    assert len(kept) == 10
    assert result.matrix[5][5] is not None
    assert result.matrix[5][5].reason == "the measurement ended before"


def test_a_disk_without_results_has_only_skipped_cells() -> None:
    result = measure_mix(MixPlan(), lambda step: None, silent)  # noqa: ARG005
    assert result.complete
    assert {cell.outcome for row in result.matrix for cell in row if cell} == {
        CellOutcome.NOT_TRIED
    }


def test_progress_counts_down_the_time_left() -> None:
    events: list[MixProgress] = []
    measure_mix(MixPlan(), MixModel().measure, events.append)
    assert events[0].left_s > 20
    assert events[-1].left_s == pytest.approx(0.7)
    assert all(event.left_s > 0 for event in events)


def test_a_matrix_that_ends_with_an_error_keeps_its_cells() -> None:
    model = MixModel()

    def measure(step):
        if len(model.steps) == 20:
            raise UnableError("every request failed: 3 x EIO")
        return model.measure(step)

    result = measure_mix(MixPlan(), measure, silent)
    assert isinstance(result.failure, UnableError)
    assert not result.complete
    assert result.max_writes == pytest.approx(40_000)
