"""Recording the last seconds, with a collector of the test."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.flight import session
from harness.flight.conditions import EndCondition, SignalCondition
from harness.flight.options import FlightOptions
from harness.flight.session import clock_text, record_flight
from stallscope.collector import CollectionEnd, CollectorOptions, Started
from stallscope.errors import RecordingError


@pytest.fixture
def options(tmp_path: Path) -> FlightOptions:
    """Return options with a signal as trigger."""
    collector = CollectorOptions(output=tmp_path / "run", pids=(os.getpid(),))
    return FlightOptions(collector, 30.0, (SignalCondition(),), after_s=0.01)


def test_a_wait_is_shown_as_a_clock() -> None:
    assert [clock_text(seconds) for seconds in (0.9, 760, 360_000)] == [
        "00:00:00",
        "00:12:40",
        "100:00:00",
    ]


@pytest.mark.parametrize("reason", ["signal", "duration", "target ended", "control closed"])
def test_an_end_without_a_trigger_is_an_error(
    options: FlightOptions, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr(
        session, "collect", lambda *_, **__: CollectionEnd(0, reason, interrupted=False)
    )
    with pytest.raises(RecordingError, match="no trigger fired within 00:00:00") as caught:
        record_flight(options, None)
    assert "--on end" in caught.value.remedy


def test_a_signal_stops_the_collector_and_the_handler_is_removed(
    options: FlightOptions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    previous = signal.getsignal(signal.SIGUSR1)
    read, write = os.pipe()

    def collect(
        collector: CollectorOptions,
        on_progress: Callable[[Started], None],
        command_output: object,
        beside: Any,
    ) -> CollectionEnd:
        del command_output
        assert collector.flight_s == pytest.approx(30.01)
        with open(write, "wb") as control, beside(control):
            on_progress(Started(pids=(1,)))
            os.kill(os.getpid(), signal.SIGUSR1)
            lines = b""
            while not lines.endswith(b"stop\n"):
                lines += os.read(read, 4096)
        assert lines.startswith(b"trigger ")
        return CollectionEnd(0, "duration", interrupted=False)

    monkeypatch.setattr(session, "collect", collect)
    with pytest.raises(RecordingError):
        record_flight(options, None)
    os.close(read)
    assert signal.getsignal(signal.SIGUSR1) == previous
    assert f"waiting for signal (kill -USR1 {os.getpid()})" in capsys.readouterr().err


def test_a_wait_after_its_duration_starts_no_collector(
    options: FlightOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = CollectorOptions(output=options.collector.output, pids=(1,), duration_s=1e-9)
    monkeypatch.setattr(session, "collect", lambda *_, **__: pytest.fail("started"))
    ends = (EndCondition("end", ("signal",)),)
    with pytest.raises(RecordingError):
        record_flight(FlightOptions(collector, 30.0, ends), None)
