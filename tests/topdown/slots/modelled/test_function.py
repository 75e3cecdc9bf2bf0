"""Modelled slots of one function: its native times, and what is refused."""

from pathlib import Path

import pytest

from stallscope.errors import TargetError
from topdown.slots.modelled.command import REPEATS
from topdown.slots.modelled.function import _native_runs
from topdown.slots.modelled.host_times import KernelTimes


class _Times(KernelTimes):
    """A core whose frequency rises with every measurement."""

    count = 0

    def frequency_hz(self) -> float:
        type(self).count += 1
        return 1e9 * self.count


def test_every_run_has_the_higher_frequency_around_it() -> None:
    runs = _native_runs(lambda: 0.25, _Times(Path("kernels")))
    assert [run.cpu_s for run in runs.runs] == [0.25] * REPEATS
    assert all(run.waited_s == 0 for run in runs.runs)
    assert list(runs.frequencies_hz) == [1e9 * (run + 2) for run in range(REPEATS)]


def test_a_function_without_cpu_time_is_refused() -> None:
    with pytest.raises(TargetError, match="no CPU time"):
        _native_runs(lambda: 0.0, _Times(Path("kernels")))
