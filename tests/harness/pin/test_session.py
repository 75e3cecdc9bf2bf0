"""What `stallscope pin` prints, and when it fails."""

import json
from collections.abc import Callable

import pytest

from cstates.pinning.knobs import change
from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import JournalRestore, RestoredSetting, RestoreStatus
from harness.pin.session import check_restored, restore_and_report, show_plan, show_status
from stallscope.errors import UnableError
from tests.cstates.pinning.conftest import FakeMachine
from tests.documents import assert_valid

NICE = change("nice", "0", "5")


def test_a_plan_is_printed_and_changes_nothing(
    fake: Callable[[str], FakeMachine], capsys: pytest.CaptureFixture[str]
) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    show_plan(machine.place, PinRequest(states=("C1",)), as_json=True)
    printed = capsys.readouterr().out
    assert_valid("pin", printed)
    assert json.loads(printed)["plan"]
    assert machine.content() == before


def test_a_machine_without_pins_has_nothing_to_restore(
    fake: Callable[[str], FakeMachine], capsys: pytest.CaptureFixture[str]
) -> None:
    machine = fake("ice-lake-server")
    show_status(machine.place, as_json=False)
    restore_and_report(machine.place, as_json=False)
    assert capsys.readouterr().out == "nothing is pinned\nnothing to restore\n"


def test_only_failed_settings_are_an_error() -> None:
    gone = JournalRestore((RestoredSetting(NICE, RestoreStatus.GONE, ""),))
    check_restored((gone,))
    failed = JournalRestore((RestoredSetting(NICE, RestoreStatus.FAILED, "busy"),))
    with pytest.raises(UnableError, match="could not be restored: setpriority") as error:
        check_restored((gone, failed))
    assert "stallscope pin restore" in error.value.remedy
