"""Pinned runs for measurements: no output of the command, interruptions, failed restores."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import JournalRestore
from cstates.pinning.session import PinContext, PinListener
from harness.pin import quiet_runs
from stallscope.system_files import Roots


def run(monkeypatch: pytest.MonkeyPatch, status: int) -> Any:
    """Run a command that writes to descriptor 1 and ends with a status."""

    def run_pinned(*_: object, **__: object) -> Any:
        os.write(1, b"output of the command\n")
        return SimpleNamespace(status=status, restored=JournalRestore((), ()))

    monkeypatch.setattr(quiet_runs, "run_pinned", run_pinned)
    return quiet_runs.run_quietly(
        PinContext(Roots(), Path("/nonexistent"), "test"),
        PinRequest(nice=1),
        ["true"],
        listener=PinListener(print, print),
    )


def test_the_output_of_the_command_is_discarded(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, 3).status == 3
    os.write(1, b"after\n")
    assert capfd.readouterr().out == "after\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_command_ends_the_measurement(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, 128 + number)
    os.write(1, b"after\n")
    assert capfd.readouterr().out == "after\n"
