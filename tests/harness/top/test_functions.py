"""The hottest functions: a recording that fails is a reason, and nothing is left behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.symbol_places import SymbolPlaces
from harness.top.functions import FunctionSampler


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Return the code that runs instead of the recording; temporary files are in tmp_path."""
    code = ["pass"]
    real = subprocess.Popen

    def start(_: list[str], **options: object) -> object:
        return real([sys.executable, "-c", code[0]], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return code


def test_the_recording_searches_the_places_of_debug_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[list[str]] = []
    real = subprocess.Popen

    def start(words: list[str], **options: object) -> object:
        started.append(words)
        return real([sys.executable, "-c", "pass"], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", start)
    sampler = FunctionSampler(1, 60, SymbolPlaces((), (tmp_path,), "http://a"))
    sampler.poll(0)
    sampler.close()
    assert started[0][-2:] == [f"--debug-directory={tmp_path}", "--debuginfod=http://a"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit('stallscope: error: not permitted')", "not permitted"),
        ("import sys; sys.exit(3)", "the recording failed (3)"),
        ("print('{')", "the recording is not readable"),
    ],
)
def test_a_failed_recording_gives_the_reason(
    fake: list[str], code: str, reason: str, tmp_path: Path
) -> None:
    fake[0] = code
    sampler = FunctionSampler(1, 60)
    sampler.poll(0)
    sampler.finish()
    assert sampler.functions == ()
    assert reason in (sampler.reason or "")
    assert not list(tmp_path.iterdir())


def test_a_recording_under_way_is_ended_and_removed(fake: list[str], tmp_path: Path) -> None:
    fake[0] = "import time; time.sleep(600)"
    sampler = FunctionSampler(1, 60)
    sampler.poll(0)
    assert list(tmp_path.iterdir())
    sampler.close()
    assert not list(tmp_path.iterdir())


def test_nothing_is_recorded_if_switched_off_until_it_is_requested(
    fake: list[str], tmp_path: Path
) -> None:
    sampler = FunctionSampler(None, 0)
    sampler.poll(10)
    assert sampler.reason == "switched off"
    assert not list(tmp_path.iterdir())
    sampler.request()
    sampler.poll(11)
    assert list(tmp_path.iterdir())
    sampler.close()


def test_a_request_does_not_end_the_recording_under_way(fake: list[str]) -> None:
    fake[0] = "import time; time.sleep(600)"
    sampler = FunctionSampler(1, 300)
    sampler.poll(1000)
    sampler.request()
    sampler.poll(1001)
    assert sampler.reason == "the first recording is under way"
    sampler.close()


@pytest.mark.parametrize("period_s", [300, 0])
def test_a_recording_that_hangs_is_ended_after_its_limit(fake: list[str], period_s: int) -> None:
    fake[0] = "import time; time.sleep(600)"
    sampler = FunctionSampler(1, period_s)
    sampler.request()
    sampler.poll(1000)
    sampler.poll(1059)
    assert "failed" not in (sampler.reason or "")
    sampler.poll(1061)
    assert sampler.reason == "the recording failed (-9)"
    sampler.close()
