"""Results of measurements with intervals."""

from harness.topdown.result import topdown_result
from tests.harness.topdown.measurements import SLICED

RESULT = topdown_result(SLICED)
