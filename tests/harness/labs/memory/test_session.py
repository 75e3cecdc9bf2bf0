"""A run of `stallscope lab memory`: the result, its file, and machines without memory for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.labs.memory import session
from stallscope.errors import UnableError
from tests.documents import assert_valid
from tests.harness.labs.memory.measurements import DEFAULTS, machine, measurement

ALLOWED = frozenset(range(4))


def test_the_printed_document_is_that_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "read_machine", lambda *_: machine())
    monkeypatch.setattr(session, "measure_memory", lambda *_, **__: measurement())
    path = tmp_path / "memory.json"
    session.run_memory(DEFAULTS, ALLOWED, [path], as_json=True)
    printed = capsys.readouterr().out
    assert_valid("lab.memory", printed)
    assert path.read_text() == printed


def test_an_interruption_before_the_first_reading_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = replace(measurement(), sections=(), interrupted=True)
    monkeypatch.setattr(session, "read_machine", lambda *_: machine())
    monkeypatch.setattr(session, "measure_memory", lambda *_, **__: empty)
    with pytest.raises(KeyboardInterrupt):
        session.run_memory(DEFAULTS, ALLOWED, [], as_json=True)
    assert capsys.readouterr().out == ""


def test_a_machine_without_free_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "read_machine", lambda *_: replace(machine(), available_bytes=0))
    with pytest.raises(UnableError, match="no ring fits the lab's limit of 0 B"):
        session.run_memory(DEFAULTS, ALLOWED, [], as_json=True)
