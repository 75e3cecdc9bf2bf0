from pathlib import Path
from typing import Any

import pytest

from harness.waits.options import waits_options
from stallscope.errors import UsageError


def values(**changes: Any) -> dict[str, Any]:
    return {
        "pids": (),
        "words": (),
        "system_wide": False,
        "cpus": "",
        "cgroup": "",
        "duration": None,
        "output": None,
        "force": False,
        "graph": False,
        "max_size_mib": None,
        "max_cost": None,
        "as_json": False,
        "compared": (),
        **changes,
    }


def test_a_process_is_recorded_with_its_waits() -> None:
    options = waits_options(values(pids=((123,),), output=Path("run")))
    assert options.collector is not None
    assert options.collector.pids == (123,)
    assert options.collector.waits
    assert "--waits" in options.collector.arguments()


@pytest.mark.parametrize("target", [{"system_wide": True}, {"cpus": "0-1"}])
def test_cpus_are_no_target(target: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="not CPUs"):
        waits_options(values(**target))


def test_cost_and_size_are_limited_by_the_recorder() -> None:
    options = waits_options(values(pids=((1,),), max_cost=0.5, max_size_mib=10))
    assert options.collector is not None
    words = options.collector.arguments()
    assert "--max-cost=0.5" in words
    assert "--max-size=10" in words


def test_a_comparison_excludes_a_target() -> None:
    compared = (Path("a"), Path("b"))
    assert waits_options(values(compared=compared)).compared == compared
    with pytest.raises(UsageError, match="--compare"):
        waits_options(values(compared=compared, pids=((1,),)))
