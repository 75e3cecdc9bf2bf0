"""The verdict of a storm."""

from dataclasses import replace

import pytest

from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.options import REFERENCE_LIMIT
from harness.labs.storm.trial import Recommendation
from harness.labs.storm.verdict import StormConclusion, storm_verdict
from tests.harness.labs.storm.storms import OPTIONS, SERVERS, with_bandwidth, with_values


def test_the_limit_of_the_trial_is_a_gain(storm: StormMeasurement) -> None:
    verdict = storm_verdict(storm)
    assert verdict.conclusion == StormConclusion.GAIN
    assert "0.25" in verdict.reason
    assert verdict.reason.endswith("5 pairs of rounds")


def test_the_knee_alone_costs_the_writer_bandwidth() -> None:
    at_the_knee = measure_disk_storm(replace(OPTIONS, recommended=SERVERS + 1, first_come=False))
    assert storm_verdict(at_the_knee).conclusion == StormConclusion.PRICE


@pytest.mark.parametrize(
    ("factors", "conclusion"),
    [
        ([0.99, 1.0, 0.98, 1.02, 0.97], StormConclusion.GAIN),
        ([0.5, 0.6, 0.7, 0.9, 0.8], StormConclusion.PRICE),
        ([0.8, 1.1, 1.0, 1.0, 1.0], StormConclusion.REFUSED),
    ],
)
def test_the_writers_bandwidth_decides(
    storm: StormMeasurement, factors: list[float], conclusion: StormConclusion
) -> None:
    scaled = with_bandwidth(storm, storm.recommended_setting, factors)
    assert storm_verdict(scaled).conclusion == conclusion


def test_a_limit_without_an_effect_is_not_a_gain(storm: StormMeasurement) -> None:
    (reader,) = {result.reader for result in storm.all_rounds(storm.reference_setting)}
    equal = with_values(
        with_bandwidth(storm, storm.recommended_setting, [1.0] * 5),
        storm.recommended_setting,
        reader=reader,
    )
    assert storm_verdict(equal).conclusion == StormConclusion.NO_GAIN
    itself = replace(storm, recommendation=Recommendation(REFERENCE_LIMIT, "named"))
    assert storm_verdict(itself).conclusion == StormConclusion.NO_GAIN


def test_rounds_that_fail_their_checks_leave_no_verdict(storm: StormMeasurement) -> None:
    failed = with_values(storm, storm.recommended_setting, failed=("its thread waited",))
    assert storm_verdict(failed).conclusion == StormConclusion.REFUSED


def test_a_single_pair_is_singular(storm: StormMeasurement) -> None:
    first = replace(storm, rounds=tuple(result for result in storm.rounds if result.run.round == 0))
    assert storm_verdict(first).reason.endswith(", 1 pair of rounds")
