"""Messages printed while a recording is made."""

from pathlib import Path

import pytest

from harness.profile.recorder import _ProgressDisplay
from stallscope.collector import (
    CollectorOptions,
    CollectorProgress,
    CollectorWarning,
    Finished,
    Started,
)


@pytest.mark.parametrize("print_warnings", [True, False])
def test_warnings_at_the_start_and_at_the_end_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], print_warnings: bool
) -> None:
    display = _ProgressDisplay(CollectorOptions(output=tmp_path), (), print_warnings=print_warnings)
    early, late = (CollectorWarning(code="x", message=text) for text in ("early", "late\x1b"))
    display.update(Started(warnings=(early,)))
    display.update(CollectorProgress(seconds=1.0, samples=2))
    display.update(Finished(warnings=(late,)))
    errors = capsys.readouterr().err
    assert [line for line in errors.splitlines() if line.startswith("warning: ")] == (
        ["warning: early", "warning: late\\x1b"] if print_warnings else []
    )
