"""The CPUs of wake-up measurements."""

import os
from pathlib import Path

import pytest

from harness.cstates.latency.options import wake_cpus
from stallscope.errors import UsageError
from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand


def test_cpus_must_be_online_and_usable(tmp_path: Path) -> None:
    roots = Roots.recorded(expand("offline-cpus", tmp_path / "tree"))
    assert wake_cpus(roots, None, processes=2) == (0, 2)
    assert wake_cpus(roots, None, processes=3) == (
        0,
        2,
    )  # there are only two CPUs, which take turns
    assert wake_cpus(roots, "2", processes=2) == (2,)
    assert wake_cpus(roots, "2,0", processes=2) == (2, 0)  # client and server
    assert wake_cpus(roots, "2,2,0", processes=3) == (2, 2, 0)
    with pytest.raises(UsageError, match="names 3 CPUs for 2 processes"):
        wake_cpus(roots, "0,2,0", processes=2)
    with pytest.raises(UsageError, match="CPU 1 is offline") as refused:
        wake_cpus(roots, "0,1", processes=2)
    assert "usable CPUs: 0,2" in refused.value.remedy
    usable = tuple(sorted(os.sched_getaffinity(0)))
    assert wake_cpus(Roots(), None, processes=1) == usable[:1]
