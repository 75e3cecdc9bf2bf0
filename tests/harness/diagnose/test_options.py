import os
from pathlib import Path
from typing import Any

import pytest

from harness.diagnose.options import (
    DURATION_S,
    FREQUENCY_HZ,
    MAX_COST,
    OWNER_SHARE,
    diagnose_options,
)
from stallscope.errors import UsageError


def values(**changes: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "pids": (),
        "words": (),
        "duration": None,
        "output": None,
        "force": False,
        "max_cost": None,
        "max_size_mib": None,
        "as_json": False,
    }
    return {**defaults, **changes}


def test_a_process_is_recorded_for_ten_seconds_at_99_hz() -> None:
    options = diagnose_options(values(pids=((os.getpid(),),)))
    assert options.collector is not None
    assert options.collector.duration_s == DURATION_S
    assert options.collector.frequency_hz == FREQUENCY_HZ
    assert options.collector.max_cost == MAX_COST
    assert options.collector.owner_share == OWNER_SHARE
    assert options.collector.waits


def test_a_command_is_recorded_until_it_ends() -> None:
    collector = diagnose_options(values(words=("sleep", "1"))).collector
    assert collector is not None
    assert collector.duration_s is None


def test_a_recording_is_diagnosed_again(tmp_path: Path) -> None:
    options = diagnose_options(values(words=(str(tmp_path),)))
    assert options.collector is None
    assert options.recording == tmp_path


def test_without_a_target_the_example_names_this_command() -> None:
    with pytest.raises(UsageError) as error:
        diagnose_options(values())
    assert "stallscope diagnose -p" in str(error.value.remedy)


def test_a_path_must_be_a_directory_and_is_for_recording(tmp_path: Path) -> None:
    pid = {"pids": ((os.getpid(),),)}
    assert diagnose_options(values(**pid, path=tmp_path)).path == tmp_path
    with pytest.raises(UsageError, match="not a directory"):
        diagnose_options(values(**pid, path=tmp_path / "missing"))
    with pytest.raises(UsageError, match="for recording"):
        diagnose_options(values(words=(str(tmp_path),), path=tmp_path))


def test_the_model_runs_a_command_again() -> None:
    assert diagnose_options(values(words=("sleep", "1"), model=True)).model
    with pytest.raises(UsageError, match="needs a command"):
        diagnose_options(values(pids=((os.getpid(),),), model=True))


def test_a_baseline_is_a_recording_to_compare_with() -> None:
    baseline = Path("tests/captures/switches.perf")
    options = diagnose_options(values(words=("sleep", "1"), baseline=baseline))
    assert options.baseline == baseline
    assert options.model is False
