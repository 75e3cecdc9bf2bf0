"""The list of known programs, and trials of them."""

import pytest

from harness.labs.kernels.known_kernels import known_kernels, try_kernel
from stallscope.errors import UsageError


def test_an_unknown_kernel_is_rejected_with_similar_names() -> None:
    with pytest.raises(UsageError) as raised:
        known_kernels(("divide-chian",))
    assert "divide-chain" in raised.value.remedy


def test_a_trial_separates_speed_and_set_up() -> None:
    quick, chase = known_kernels(("dependent-chain", "pointer-chase-dram"))
    trial = try_kernel(chase)
    assert trial.set_up_cpu_s > try_kernel(quick).set_up_cpu_s
    assert 0 < trial.iterations_per_cpu_s < try_kernel(quick).iterations_per_cpu_s
