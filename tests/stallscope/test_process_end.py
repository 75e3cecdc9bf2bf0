"""Children that do not respond are ended by force, within a limit."""

import subprocess
from typing import Any

import pytest

from stallscope import process_end
from stallscope.errors import UnableError
from stallscope.process_end import end_process


def test_a_child_that_ignores_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_end, "TERM_LIMIT_S", 0.05)
    script = "trap '' TERM; echo ready; while :; do :; done"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        end_process(child)
        assert child.returncode == -9


def test_an_ended_child_gets_no_signal() -> None:
    child = subprocess.Popen(["true"])
    child.wait(20)
    end_process(child)
    assert child.returncode == 0


class Unkillable:
    """A child in state D."""

    pid = 1
    signals: tuple[str, ...] = ()

    def poll(self) -> None:
        return None

    def terminate(self) -> None:
        self.signals += ("TERM",)

    def kill(self) -> None:
        self.signals += ("KILL",)

    def wait(self, timeout: float) -> int:
        raise subprocess.TimeoutExpired("child", timeout)


def test_a_child_that_waits_in_the_kernel_is_named() -> None:
    child: Any = Unkillable()
    with pytest.raises(UnableError, match=r"process 1 \(\S+\) does not end after SIGKILL"):
        end_process(child)
    assert child.signals == ("TERM", "KILL")
