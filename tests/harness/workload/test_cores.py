"""CPUs of the process, and different CPUs for server and loader."""

import os

import pytest

from harness.workload.cores import two_cores, usable_cpus
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots


def test_usable_cpus_are_limited_to_the_list() -> None:
    allowed = os.sched_getaffinity(0)
    assert usable_cpus(None) == allowed
    assert usable_cpus(str(min(allowed))) == {min(allowed)}
    with pytest.raises(UsageError, match="may not use CPU 65000"):
        usable_cpus("65000")


def test_a_single_cpu_is_not_enough() -> None:
    with pytest.raises(UnableError, match="one CPU each"):
        two_cores(Roots(), frozenset({0}))
