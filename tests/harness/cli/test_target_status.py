"""How the end of the observed command shows in the exit code."""

import pytest

from harness.cli.target_status import exit_code, explain, failed
from stallscope.collector import CollectionEnd
from stallscope.errors import ExitCode
from stallscope.recordings import Manifest, RecordedEnd, Target


def manifest(
    status: dict[str, int | str | None] | None, reason: str = "target ended", kind: str = "command"
) -> Manifest:
    return Manifest(
        schema="stallscope.recording/1.0",
        complete=True,
        target_or_none=Target(kind),
        end=RecordedEnd(reason=reason, target_status=status),
    )


def end(code: int = 0, *, interrupted: bool = False) -> CollectionEnd:
    return CollectionEnd(code, "", interrupted)


@pytest.mark.parametrize(
    ("recorded", "outcome", "code"),
    [
        (manifest({"exited": 0}), end(), ExitCode.DONE),
        (manifest({"exited": 3}), end(), ExitCode.TARGET_FAILED),
        (manifest({"signalled": 11}), end(), ExitCode.TARGET_FAILED),
        (manifest({"signalled": 15}, "duration"), end(), ExitCode.DONE),
        (manifest({"signalled": 2}), end(interrupted=True), ExitCode.DONE),
        (manifest({"exited": 3}, kind="process"), end(), ExitCode.DONE),
        (manifest(None), end(), ExitCode.DONE),
        (manifest({"exited": 3}), end(5), ExitCode.UNREADABLE),
    ],
)
def test_only_a_command_that_failed_by_itself_has_failed(
    recorded: Manifest, outcome: CollectionEnd, code: ExitCode
) -> None:
    assert exit_code(recorded, outcome) == code
    assert failed(recorded, outcome) == (code is ExitCode.TARGET_FAILED or outcome.exit_code == 5)


def test_a_failed_command_is_named_with_its_status(capsys: pytest.CaptureFixture[str]) -> None:
    explain(manifest({"exited": 3}), end())
    assert "the command failed (exited 3); its recording is complete" in capsys.readouterr().err
    explain(manifest({"exited": 0}), end())
    assert capsys.readouterr().err == ""
