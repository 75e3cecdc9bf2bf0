"""The matrix of a disk whose limits are known: what is kept, missed, and not tried at all."""

from dataclasses import replace

import pytest

from ioprobe.mix.cells import Outcome, judged
from ioprobe.mix.plan import KIB, MIB, MixPlan
from ioprobe.mix.rounds import MixProgress, measure_mix
from stallscope.errors import UnableError
from tests.ioprobe.mix_model import MixModel


def silent(progress: MixProgress) -> None:
    """Say nothing."""


def test_the_matrix_ends_where_the_disk_does() -> None:
    model = MixModel()
    found = measure_mix(MixPlan(), model.measure, silent)
    assert found.complete
    assert (found.most_reads, found.most_writes) == pytest.approx((100_000, 40_000))
    for w, row in enumerate(found.matrix):
        for r, cell in enumerate(row):
            if cell is None:
                assert (r, w) == (0, 0)
                continue
            shares = found.plan.shares[r] + found.plan.shares[w]
            if shares <= 1:
                assert cell.outcome is Outcome.KEPT
                assert cell.shown is not None
                assert (cell.shown.reads is None) == (r == 0)
                assert (cell.shown.writes is None) == (w == 0)
            elif shares > 1.05:
                assert cell.outcome in (Outcome.MISSED, Outcome.NOT_TRIED)
                assert cell.shown is None
                assert cell.why


def test_cells_beyond_one_that_missed_are_not_tried() -> None:
    model = MixModel()
    found = measure_mix(MixPlan(), model.measure, silent)
    outcomes = [cell.outcome for row in found.matrix for cell in row if cell]
    assert outcomes.count(Outcome.NOT_TRIED) >= 6
    tried = [step for step in model.steps if step.rate_per_s and 0 < step.read_share < 1]
    kept_and_missed = [cell for row in found.matrix[1:] for cell in row[1:] if cell.reading]
    missed = [cell for cell in kept_and_missed if cell.outcome is Outcome.MISSED]
    assert len(tried) == len(kept_and_missed) + len(missed)  # a miss is tried twice


def test_sizes_have_their_own_most() -> None:
    found = measure_mix(MixPlan(), MixModel().measure, silent)
    assert [(row.block_bytes, row.writes) for row in found.sizes] == [
        (size, writes)
        for writes in (False, True)
        for size in (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB)
    ]
    largest = next(row for row in found.sizes if row.block_bytes == MIB and not row.writes)
    assert largest.most_per_s == pytest.approx(100_000 / 16)
    assert [cell.outcome for cell in largest.cells] == [Outcome.KEPT] * 4


def test_bytes_in_flight_are_bounded() -> None:
    model = MixModel()
    measure_mix(MixPlan(), model.measure, silent)
    assert max(step.depth * step.block_bytes for step in model.steps) <= 32 * MIB


def test_reads_alone_have_no_matrix() -> None:
    model = MixModel()
    found = measure_mix(MixPlan(writes=False), model.measure, silent)
    assert found.matrix == ()
    assert found.most_writes is None
    assert {step.read_share for step in model.steps} == {1.0}


@pytest.mark.parametrize(
    ("got", "outcome"),
    [(971, Outcome.KEPT), (969, Outcome.MISSED), (1029, Outcome.KEPT), (1031, Outcome.FAILED)],
)
def test_three_percent_off_what_was_commanded_is_masked(got: float, outcome: Outcome) -> None:
    reading = replace(MixModel().measure(MixPlan().step(4096, 1.0, 1000.0, 1)), iops=got)
    cell = judged(1000.0, 0.0, 4096, reading)
    assert cell.outcome is outcome
    assert (cell.shown is None) == (outcome is not Outcome.KEPT)


def test_a_failed_check_masks_after_a_second_try() -> None:
    model = MixModel()
    spoiled = []

    def measure(step):
        found = model.measure(step)
        if step.read_share == 1.0 and step.rate_per_s == pytest.approx(20_000):
            spoiled.append(step)
            return replace(found, failed=("a check",))
        return found

    found = measure_mix(MixPlan(), measure, silent)
    cell = found.matrix[0][1]
    assert cell is not None
    assert (cell.outcome, cell.why, len(spoiled)) == (Outcome.FAILED, "a check", 2)
    assert found.matrix[0][2] is not None
    assert found.matrix[0][2].outcome is Outcome.KEPT  # a failed check says nothing of the load


def test_what_a_direction_does_at_most_is_not_made_up() -> None:
    """Where no climb of writes passes its checks, no cell of writes is tried at some other load."""
    model = MixModel()

    def measure(step):
        found = model.measure(step)
        return replace(found, failed=("a check",)) if step.read_share == 0.0 else found

    found = measure_mix(MixPlan(), measure, silent)
    assert found.most_writes is None
    cell = found.matrix[1][1]
    assert cell is not None
    assert (cell.outcome, cell.writes_per_s, cell.reading) == (Outcome.NOT_TRIED, None, None)
    assert cell.reads_per_s == pytest.approx(20_000)
    assert "the most of these" in cell.why
    alone = found.matrix[0][1]
    assert alone is not None
    assert (alone.outcome, alone.writes_per_s) == (Outcome.KEPT, 0.0)


def test_an_interrupted_matrix_keeps_what_it_has() -> None:
    model = MixModel()

    def measure(step):
        if len(model.steps) == 20:
            raise KeyboardInterrupt
        return model.measure(step)

    found = measure_mix(MixPlan(), measure, silent)
    assert not found.complete
    kept = [cell for row in found.matrix for cell in row if cell and cell.shown]
    assert len(kept) == 10
    assert found.matrix[5][5] is not None
    assert found.matrix[5][5].why == "the measurement was ended before"


def test_a_disk_that_answers_nothing_has_no_cell() -> None:
    found = measure_mix(MixPlan(), lambda step: None, silent)  # noqa: ARG005
    assert found.complete
    assert {cell.outcome for row in found.matrix for cell in row if cell} == {Outcome.NOT_TRIED}


def test_time_left_falls_to_nothing() -> None:
    told: list[MixProgress] = []
    measure_mix(MixPlan(), MixModel().measure, told.append)
    assert told[0].left_s > 20
    assert told[-1].left_s == pytest.approx(0.7)
    assert all(one.left_s > 0 for one in told)


def test_slow_disks_get_the_time_for_a_hundred_requests() -> None:
    assert MixPlan().step(4096, 1.0, 50.0, 1).duration_s == 2.0
    assert MixPlan().step(4096, 1.0, 1.0, 1).duration_s == 20.0


def test_a_disk_that_fails_in_the_middle_leaves_what_was_measured() -> None:
    model = MixModel()

    def measure(step):
        if len(model.steps) == 20:
            raise UnableError("no request was answered but by errors: 3 times EIO")
        return model.measure(step)

    found = measure_mix(MixPlan(), measure, silent)
    assert isinstance(found.failure, UnableError)
    assert not found.complete
    assert found.most_writes == pytest.approx(40_000)
