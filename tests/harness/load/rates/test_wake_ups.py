"""The round trip of a wake-up, by a stand-in for stallscope-wake."""

from pathlib import Path

import pytest

from harness.load.rates.wake_ups import PROGRAM, wake_round_trip_us
from stallscope.errors import StallscopeError
from tests.harness.workload.fake_programs import install


def test_the_median_round_trip_is_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
assert sys.argv[sys.argv.index("--think-us") + 1] == "62.5", sys.argv
print(json.dumps({"event": "done", "latency_us": {"p50": 25.5, "p99": 40.0}}))
"""
    install(tmp_path, PROGRAM, body, monkeypatch)
    assert wake_round_trip_us(62.5, 0.1, kind="tcp", cpus="") == 25.5


def test_a_failing_program_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, PROGRAM, "print('{}'); sys.exit(3)", monkeypatch)
    with pytest.raises(StallscopeError):
        wake_round_trip_us(1000, 0.1, kind="tcp", cpus="0")
