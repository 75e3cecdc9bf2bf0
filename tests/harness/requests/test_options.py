from pathlib import Path
from typing import Any

import pytest

from harness.requests.options import requests_options
from stallscope.errors import UsageError


def values(**changes: Any) -> dict[str, Any]:
    return {
        "pids": (),
        "words": (),
        "duration": None,
        "output": None,
        "force": False,
        "max_size_mib": None,
        "max_cost": None,
        "as_json": False,
        **changes,
    }


def test_a_process_is_recorded_with_its_waits_and_requests() -> None:
    options = requests_options(values(pids=((123,),), output=Path("run")))
    words = options.collector.arguments()
    assert {"--waits", "--requests", "--pid=123", "--max-cost=0.25"} <= set(words)


def test_the_cost_can_be_limited() -> None:
    options = requests_options(values(pids=((1,),), max_cost=0.05))
    assert "--max-cost=0.05" in options.collector.arguments()


def test_a_target_is_needed() -> None:
    with pytest.raises(UsageError, match="name a process"):
        requests_options(values())
