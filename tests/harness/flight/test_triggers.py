"""Triggers on files and programs of the test."""

import os
import select
from pathlib import Path

import numpy as np
import pytest

from harness.flight import triggers
from harness.flight.conditions import (
    CommandCondition,
    EndCondition,
    LatencyCondition,
    PressureCondition,
    SignalCondition,
)
from harness.flight.triggers import (
    CommandTrigger,
    LatencyTrigger,
    PressureTrigger,
    SignalTrigger,
    triggers_of,
)
from stallscope.errors import UsageError
from stallscope.histogram_encoding import encode
from stallscope.histograms import Geometry, Histogram
from stallscope.pressure import PressureThreshold
from stallscope.system_files import Roots


def _interval(value_ns: int, start_s: float = 1.0) -> str:
    geometry = Geometry(1, 3)
    place = int(geometry.places(np.array([value_ns]))[0])
    counts = np.zeros(place + 1, dtype=np.int64)
    counts[place] = 100
    return f"{start_s:.3f},1.000,0,{encode(Histogram(geometry, counts))}\n"


def _latency_trigger(log: Path) -> LatencyTrigger:
    return LatencyTrigger(LatencyCondition("p99>5ms:x", 99.0, 5e6, log))


def test_a_percentile_above_the_limit_fires_in_intervals_after_the_start(tmp_path: Path) -> None:
    log = tmp_path / "intended.hlog"
    log.write_text("#[Histogram log format version 1.3]\n" + _interval(50_000_000))
    trigger = _latency_trigger(tmp_path)  # the directory of a load
    trigger.open()
    assert trigger.check() is None
    slow = _interval(20_000_000, 3.0)
    with log.open("a") as file:
        file.write(_interval(1_000_000, 2.0) + "broken\n" + slow[:-5])
    assert trigger.check() is None
    assert trigger.state().startswith("now 1")
    with log.open("a") as file:
        file.write(slow[-5:])
    text = trigger.check()
    assert text is not None
    assert text.startswith("p99 20")


def test_a_log_that_is_created_later_or_begun_again_is_read_from_its_start(tmp_path: Path) -> None:
    log = tmp_path / "a.hlog"
    trigger = _latency_trigger(log)
    trigger.open()
    assert trigger.check() is None
    log.write_text(_interval(1_000_000) * 3)
    assert trigger.check() is None
    log.write_text(_interval(20_000_000))
    assert trigger.check() is not None


def test_a_pipe_as_log_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    trigger = _latency_trigger(tmp_path / "pipe")
    trigger.open()
    assert trigger.check() is None


def _command_trigger(text: str, limit: float | None = None) -> CommandTrigger:
    trigger = CommandTrigger(CommandCondition("command", ("sh", "-c", text), limit))
    trigger.open()
    return trigger


def test_a_command_fires_when_it_succeeds() -> None:
    assert _command_trigger("exit 1").check() is None
    assert _command_trigger("echo queue long").check() == "command sh: queue long"


@pytest.mark.parametrize(
    ("output", "fires"), [("11 jobs", True), ("10", False), ("many", False), ("", False)]
)
def test_a_command_with_a_limit_fires_above_it(output: str, fires: bool) -> None:
    trigger = _command_trigger(f"echo first; echo {output}", 10.0)
    assert (trigger.check() is not None) == fires


def test_a_command_that_does_not_end_is_ended_with_its_children(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(triggers, "COMMAND_LIMIT_S", 0.5)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    trigger = _command_trigger(f"sleep 60 > {pipe} & wait")
    assert trigger.check() is None
    hung_up = select.poll()
    hung_up.register(reader, select.POLLIN)
    assert hung_up.poll(10_000) == [(reader, select.POLLHUP)]  # no process holds the pipe open
    os.close(reader)


def test_a_command_that_does_not_exist_is_a_usage_error() -> None:
    trigger = CommandTrigger(CommandCondition("command", ("no-such-program",), None))
    with pytest.raises(UsageError, match="does not exist"):
        trigger.open()


def test_a_signal_makes_its_descriptor_ready() -> None:
    trigger = SignalTrigger()
    trigger.open()
    assert trigger.check() is None
    trigger.fire()
    assert trigger.check() == "signal SIGUSR1"
    assert trigger.check() is None
    trigger.close()


def test_a_pressure_by_totals_is_checked_twice_per_window(tmp_path: Path) -> None:
    roots = Roots.recorded(tmp_path)
    (roots.proc / "pressure").mkdir(parents=True)
    file = roots.proc / "pressure" / "io"
    file.write_text("some avg10=40.00 avg60=0 avg300=0 total=0\n")
    threshold = PressureThreshold("io", "some", 0.2, 100.0)  # longer than the kernel's windows
    trigger = PressureTrigger(PressureCondition("psi.io>20%/100s", threshold), roots)
    trigger.open()
    assert trigger.descriptor is None
    assert trigger.interval_s == 1.0
    assert trigger.check() is None
    file.write_text("some avg10=40.00 avg60=0 avg300=0 total=30000000\n")
    assert trigger.check() == "psi.io>20%/100s (now 40 %)"
    trigger.close()


def test_ends_of_the_recording_need_no_check() -> None:
    ends = EndCondition("exit", ("target ended",))
    (trigger,) = triggers_of((ends, SignalCondition()))
    assert isinstance(trigger, SignalTrigger)
