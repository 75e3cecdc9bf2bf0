"""Times of this host's caches and its frequency."""

from pathlib import Path

import pytest

from stallscope.errors import UnableError
from tests.topdown.slots.modelled.scripts import script
from topdown.slots.modelled.host_times import KernelTimes

KERNEL = """#!/bin/sh
echo '{"cpu_ns": 16000000, "iterations": 2000000}'
"""


def test_the_frequency_is_that_of_dependent_additions(tmp_path: Path) -> None:
    times = KernelTimes(script(tmp_path, "stallscope-kernels", KERNEL))
    assert times.frequency_hz() == pytest.approx(30 * 2_000_000 / 0.016)


@pytest.mark.parametrize(
    "text", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho gotcha\n", "#!/bin/sh\necho '{}'\n"]
)
def test_failing_kernels_are_reported(tmp_path: Path, text: str) -> None:
    times = KernelTimes(script(tmp_path, "stallscope-kernels", text))
    with pytest.raises(UnableError, match="the host's times cannot be measured"):
        times.frequency_hz()
