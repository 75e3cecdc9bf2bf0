"""A storm on the terminal."""

from dataclasses import replace

import pytest

from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.options import REFERENCE_LIMIT
from harness.labs.storm.result import StormResult, storm_result
from harness.labs.storm.text import lines
from harness.labs.storm.trial import Recommendation
from tests.harness.labs.storm.storms import with_values


@pytest.mark.parametrize("room", [80, 200])
def test_the_table_fits_and_has_every_setting(result: StormResult, room: int) -> None:
    text = list(lines(result, room))
    assert max(map(len, text)) <= room
    for name in ("reader alone", "no limit, first come", "limit 32, shares 1000:100 *"):
        assert any(line.startswith(name) for line in text)
    assert any(line.startswith("verdict: gain: ") for line in text)


def test_failed_checks_of_masked_rounds_are_counted(storm: StormMeasurement) -> None:
    failed = with_values(storm, storm.recommended_setting, failed=("its thread waited",))
    text = "\n".join(lines(storm_result(failed), 200))
    assert "masked: limit 32, shares 1000:100: its thread waited, and 4 more failed checks" in text


def test_the_reference_limit_is_not_compared_with_itself(storm: StormMeasurement) -> None:
    itself = replace(storm, recommendation=Recommendation(REFERENCE_LIMIT, "by trial"))
    text = "\n".join(lines(storm_result(itself), 200))
    assert "128 against 128" not in text
    assert "verdict: no gain here: the recommended limit is 128 itself" in text
