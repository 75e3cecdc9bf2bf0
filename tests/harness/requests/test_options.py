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
    assert options.collector is not None
    words = options.collector.arguments()
    assert {"--waits", "--requests", "--pid=123", "--max-cost=0.25"} <= set(words)


def test_the_cost_can_be_limited() -> None:
    options = requests_options(values(pids=((1,),), max_cost=0.05))
    assert options.collector is not None
    assert "--max-cost=0.05" in options.collector.arguments()


def test_a_target_is_needed() -> None:
    with pytest.raises(UsageError, match="name a process"):
        requests_options(values())


def test_a_directory_is_a_recording_to_show(tmp_path: Path) -> None:
    options = requests_options(values(words=(str(tmp_path),)))
    assert options.recording == tmp_path
    assert options.collector is None


def test_a_shown_recording_excludes_options_of_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--max-size is for recording"):
        requests_options(values(words=(str(tmp_path),), max_size_mib=5))


def test_a_page_is_no_name_of_a_directory() -> None:
    with pytest.raises(UsageError, match="name of a page"):
        requests_options(values(pids=((1,),), output=Path("slow.html")))


def test_a_directory_for_the_page_of_a_shown_recording_contains_it(tmp_path: Path) -> None:
    options = requests_options(values(words=(str(tmp_path),), output=tmp_path))
    assert options.page == tmp_path / "report.html"
