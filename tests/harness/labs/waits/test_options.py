"""Options of the waits lab."""

import pytest

from harness.labs.waits.options import WaitsLabOptions
from stallscope.errors import UsageError


@pytest.mark.parametrize("duration_s", [0.0, -1.0, 1e9, float("nan")])
def test_a_duration_out_of_range_is_refused(duration_s: float) -> None:
    with pytest.raises(UsageError, match="--duration"):
        WaitsLabOptions(duration_s=duration_s)
