"""Medians and ratios of a storm's rounds."""

from harness.labs.storm.measurement import READER, StormMeasurement
from ioprobe.storm import StormSetting
from tests.harness.labs.storm.storms import with_values


def test_a_ratio_uses_rounds_in_which_both_settings_passed(storm: StormMeasurement) -> None:
    reference, limited = storm.reference_setting, storm.recommended_setting
    assert storm.ratio(limited, reference, READER["p99"]).n == 5
    failed = with_values(storm, limited, failed=("late",))
    ratio = failed.ratio(limited, reference, READER["p99"])
    assert (ratio.median, ratio.n) == (None, 0)


def test_a_setting_has_no_ratio_to_itself(storm: StormMeasurement) -> None:
    setting = storm.reference_setting
    ratio = storm.ratio(setting, setting, READER["p99"])
    assert ratio.median is None
    assert ratio.warnings == ("both settings are the same",)


def test_settings_without_a_round_are_left_out(storm: StormMeasurement) -> None:
    assert StormSetting(None, None) in storm.settings()
    assert StormSetting(3, None) not in storm.settings()
