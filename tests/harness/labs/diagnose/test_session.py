"""`stallscope lab diagnose` from the command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.command_line import group, main
from harness.labs.diagnose import session
from harness.labs.diagnose.entries import Entry
from harness.labs.diagnose.result import VariantRun
from tests.documents import assert_valid
from tests.harness.labs.diagnose.lab_runs import finding, run


@pytest.mark.parametrize(("cause", "status"), [("user-lock", 0), ("slow-disk", 1)])
def test_the_gate_fails_if_another_cause_comes_first(
    monkeypatch: pytest.MonkeyPatch, cause: str, status: int
) -> None:
    def measured(_: Entry, __: float, ___: Path | None) -> Iterator[VariantRun]:
        yield run("program", finding(cause))

    monkeypatch.setattr(session, "measure_entry", measured)
    words = ["lab", "diagnose", "--only", "lock-hog", "--runs", "3", "--gate", "--json"]
    outcome = CliRunner().invoke(group, words, standalone_mode=False)
    assert outcome.return_value == status
    assert_valid("lab.diagnose", outcome.stdout)
    (entry,) = json.loads(outcome.stdout)["entries"]
    assert entry["planned"] == 3
    assert entry["right"] == 3 * (1 - status)


def test_an_unknown_entry_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "diagnose", "--only", "nothing"]) == 2
    assert "unknown entry 'nothing'" in capsys.readouterr().err
