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


def test_threads_of_server_and_loader_get_different_cpus_or_share_them() -> None:
    enough = two_cores(Roots(), frozenset(range(6)), threads=2)
    assert not enough.shared
    assert (len(enough.server_cpus), len(enough.loader_cpus)) == (2, 2)
    assert enough.server_cpus[0] == enough.server
    few = two_cores(Roots(), frozenset({0, 1}), threads=2)
    assert few.shared
    assert sorted(few.server_cpus) == sorted(few.loader_cpus) == [0, 1]
    with pytest.raises(UnableError, match="3 threads of the server need 3 CPUs"):
        two_cores(Roots(), frozenset({0, 1}), threads=3)
