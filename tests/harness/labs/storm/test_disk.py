"""The storm on a disk: rests and time limits."""

from dataclasses import replace

import pytest

from harness.labs.storm.disk import measure_disk_storm
from stallscope.errors import UnableError
from tests.harness.labs.storm.storms import OPTIONS


def test_rests_change_no_result_and_a_time_limit_ends_the_rounds() -> None:
    rested = replace(OPTIONS, recommended=9, rounds=1, rest_s=0.001, no_limit=False)
    storm = measure_disk_storm(rested)
    assert storm.complete
    limits = {result.run.setting.limit for result in storm.rounds if result.run.setting.writes}
    assert limits == {128, 9, 8}
    with pytest.raises(UnableError, match="no run was finished; ended after 0 s"):
        measure_disk_storm(replace(rested, max_s=0.0))
