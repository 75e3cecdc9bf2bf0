"""A storm on a simulated disk, whose answers are known, and its result."""

import pytest

from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.result import StormResult, storm_result
from tests.harness.labs.storm.storms import OPTIONS


@pytest.fixture(scope="session")
def storm() -> StormMeasurement:
    return measure_disk_storm(OPTIONS)


@pytest.fixture(scope="session")
def result(storm: StormMeasurement) -> StormResult:
    return storm_result(storm)
