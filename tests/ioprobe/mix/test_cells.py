"""Which cells of a mix count."""

from dataclasses import replace

import pytest

from ioprobe.mix.cells import CellOutcome, judge_cell
from ioprobe.mix.plan import MixPlan
from tests.ioprobe.mix_model import MixModel


@pytest.mark.parametrize(
    ("iops", "outcome"),
    [
        (971, CellOutcome.KEPT),
        (969, CellOutcome.MISSED),
        (1029, CellOutcome.KEPT),
        (1031, CellOutcome.FAILED),
    ],
)
def test_a_cell_more_than_three_percent_off_its_load_is_masked(
    iops: float, outcome: CellOutcome
) -> None:
    reading = replace(MixModel().measure(MixPlan().step(4096, 1.0, 1000.0, 1)), iops=iops)
    cell = judge_cell(1000.0, 0.0, 4096, reading)
    assert cell.outcome is outcome
    assert (cell.valid_reading is None) == (outcome is not CellOutcome.KEPT)
