"""What is told while a recording is made."""

from pathlib import Path

import pytest

from harness.profile.recorder import _Watcher
from stallscope.collector import CollectorOptions, Progress


@pytest.mark.parametrize("warns", [True, False])
def test_warnings_of_the_end_are_told_like_those_of_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], warns: bool
) -> None:
    watcher = _Watcher(CollectorOptions(output=tmp_path), warns=warns)
    for kind, warning in (("started", "early"), ("progress", ""), ("finished", "late\x1b")):
        warnings = (warning,) if warning else ()
        watcher.follow(Progress(kind, 1.0, 2, 0, 3, warnings))
    told = capsys.readouterr().err
    assert [line for line in told.splitlines() if line.startswith("warning: ")] == (
        ["warning: early", "warning: late\\x1b"] if warns else []
    )
