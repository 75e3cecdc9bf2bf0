"""Recordings beside throughput."""

from pathlib import Path

import pytest

from harness.bench.scale.beside import read_beside, state_shares
from stallscope.errors import UsageError
from stallscope.recordings import open_recording
from tests.harness.topdown.counters_recording import counters_recording

SWITCHES = Path("tests/captures/switches.perf")


def test_no_recordings_are_nothing() -> None:
    assert read_beside(()) is None


def test_counters_are_listed_by_count(tmp_path: Path) -> None:
    counters = counters_recording(tmp_path / "run")
    beside = read_beside(((1, counters), (8, counters)))
    assert beside is not None
    assert beside.counts == (1, 8)
    assert beside.counters
    assert all(len(row.values) == 2 for row in beside.counters)
    assert beside.states == ()


def test_shares_of_states_add_up_to_1() -> None:
    shares = state_shares(open_recording(SWITCHES))
    assert sum(shares.values()) == pytest.approx(1)


def test_other_recordings_are_refused() -> None:
    with pytest.raises(UsageError, match="a recording of kind 'load'"):
        read_beside(((1, Path("tests/recordings/load")),))
