"""The end of a pin's command."""

import signal

import pytest

from cstates.pinning import command
from cstates.pinning.process_scope import ProcessScope


def test_the_end_of_a_command_is_noticed_without_its_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another thread may receive SIGCHLD and drop it."""
    monkeypatch.setattr(command, "_WAITED_FOR", (signal.SIGTERM,))
    monkeypatch.setattr(command, "_CHECK_INTERVAL_S", 0.01)
    with command.signals_held():
        assert command.run_command(["sh", "-c", "exit 3"], ProcessScope(), None).status == 3
