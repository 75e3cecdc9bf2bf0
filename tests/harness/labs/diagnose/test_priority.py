"""Raised priorities of the lab's programs."""

import os
from pathlib import Path

import pytest

from harness.labs.diagnose import priority
from harness.labs.diagnose.priority import NICE, raise_session, raised_priority


def test_the_priority_is_raised_for_a_time_and_for_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [0]
    monkeypatch.setattr(os, "getpriority", lambda *_: values[-1])
    monkeypatch.setattr(os, "setpriority", lambda _, __, nice: values.append(nice))
    session = tmp_path / "7"
    session.mkdir()
    with raised_priority() as nice:
        assert nice == NICE
        raise_session(7, tmp_path)
        raise_session(8, tmp_path)  # has ended
    assert values == [0, NICE, 0]
    assert (session / "autogroup").read_text() == str(NICE)


def test_without_the_right_priorities_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(priority.os, "setpriority", refuse)
    monkeypatch.setattr(priority.os, "getpriority", lambda *_: 0)
    (tmp_path / "7").mkdir()
    with raised_priority() as nice:
        assert nice == 0
        raise_session(7, tmp_path)
    assert list((tmp_path / "7").iterdir()) == []
