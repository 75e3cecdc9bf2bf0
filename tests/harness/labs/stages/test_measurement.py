"""Complete pairs of the stages lab."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.measurement import capacity_per_s
from harness.labs.stages.plan import FIXED_RATE, SATURATED, LoadLevel
from tests.harness.labs.stages.measurements import CAPACITY, measurement


def test_an_incomplete_pair_is_left_out(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    cut = replace(lab, readings=lab.readings[:-1], interrupted=True)
    assert cut.complete_pairs(LoadLevel(0.9)) == 4
    assert cut.complete_pairs(SATURATED) == 5


def test_the_capacity_is_that_of_the_unstaged_side(tmp_path: Path) -> None:
    saturated = [r for r in measurement(tmp_path).readings if r.run.load == SATURATED]
    assert capacity_per_s(saturated) == CAPACITY
    assert capacity_per_s([]) is None


def test_the_fixed_load_is_60_percent_or_the_first_rate(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    assert lab.fixed_load == FIXED_RATE
    rates = (LoadLevel(rate_per_s=500.0), LoadLevel(rate_per_s=900.0))
    assert replace(lab, options=replace(lab.options, loads=rates)).fixed_load == rates[0]
    assert replace(lab, options=replace(lab.options, loads=())).fixed_load == FIXED_RATE
