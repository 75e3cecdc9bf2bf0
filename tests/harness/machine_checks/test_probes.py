"""The collector's test events, and its failures."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.machine_checks import probes
from harness.machine_checks.probes import decode_probes, probe_events, probe_io_uring

ANSWER = '{"schema":"stallscope.probe/1","probes":[{"name":"cycles","ok":false,"errno":2,"detail":"x"},{"name":"cpu-clock","ok":true,"errno":null,"detail":""},{"name":"kernel","ok":false,"errno":"EACCES","detail":""}]}'


def script(folder: Path, body: str) -> Path:
    path = folder / "stallscope-collect"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_errors_are_read_by_number_or_name(tmp_path: Path) -> None:
    result = probe_events(script(tmp_path, f"[ \"$1\" = --probe ] && echo '{ANSWER}'"))
    assert result.missing == ""
    assert {name: (probe.ok, probe.error) for name, probe in result.results.items()} == {
        "cycles": (False, "ENOENT"),
        "cpu-clock": (True, ""),
        "kernel": (False, "EACCES"),
    }


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("exit 3", "ended with status 3"),
        ("kill -9 $$", "ended with status -9"),
        ("echo no", "is not JSON"),
        ("echo '[]'", "Expected `object`, got `array`"),
        ('echo \'{"schema":"stallscope.probe/2"}\'', "expected a stallscope.probe/1 document"),
        (
            'echo \'{"schema":"stallscope.probe/1","probes":[{"name":1}]}\'',
            "$.probes[0].name",
        ),
    ],
)
def test_an_invalid_document_is_reported(tmp_path: Path, body: str, says: str) -> None:
    result = probe_events(script(tmp_path, body))
    assert says in result.missing
    assert result.results == {}


def test_a_missing_collector_is_reported(tmp_path: Path) -> None:
    assert "is missing" in probe_events(tmp_path / "none").missing
    closed = tmp_path / "closed"
    closed.write_text("")
    assert "does not start" in probe_events(closed).missing


def test_a_hanging_collector_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "TIMEOUT_S", 0.05)
    assert "did not end within" in probe_events(script(tmp_path, "exec sleep 600")).missing


@given(st.text())
def test_any_text_gives_results_or_a_reason(text: str) -> None:
    result = decode_probes(text, "here")
    assert bool(result.results) != bool(result.missing)


def test_io_uring_is_tested_without_setting_up_a_ring() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    assert probe_io_uring() in ("EFAULT", "EPERM", "ENOSYS")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
