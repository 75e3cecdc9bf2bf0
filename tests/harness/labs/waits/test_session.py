"""`stallscope lab waits` from the command line."""

import json

import pytest
from click.testing import CliRunner

from harness.cli.command_line import group
from harness.labs.waits import session
from harness.labs.waits.measurement import compared
from harness.labs.waits.result import ProgramRow
from harness.labs.waits.waiting_programs import WaitingProgram
from tests.documents import assert_valid
from tests.harness.labs.waits.diagnoses import account, diagnosis, thread


def row(waiting: WaitingProgram, _: float, *, look_alike: bool) -> ProgramRow:
    result = diagnosis(thread(2, "victim", lock=100), causes=(("thread", "hog"),))
    return compared(waiting, result, account(lock=100), look_alike=look_alike)


@pytest.mark.parametrize(("words", "status"), [(("--no-look-alikes",), 0), ((), 1)])
def test_the_gate_fails_if_the_cause_comes_first_for_the_look_alike(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], status: int
) -> None:
    monkeypatch.setattr(session, "measure_program", row)
    arguments = ["lab", "waits", "--program", "lock-hog", "--gate", "--json", *words]
    outcome = CliRunner().invoke(group, arguments, standalone_mode=False)
    assert outcome.return_value == status
    assert_valid("lab.waits", outcome.stdout)
    assert [x["look_alike"] for x in json.loads(outcome.stdout)["rows"]] == [False, True][
        : 1 + status
    ]
