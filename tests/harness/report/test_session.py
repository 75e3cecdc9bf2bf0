"""`stallscope report` writes no page where another user can redirect it."""

import os
from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode


@pytest.mark.usefixtures("needs_root")
def test_the_page_of_a_recording_of_another_user_needs_another_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    run = tmp_path / "run"
    assert (
        main(["io", "probe", "sim:servers=8,service=1ms", "--duration", "1", "-o", str(run)]) == 0
    )
    (run / "report.html").unlink()
    os.chown(run, 12345, 12345)
    capsys.readouterr()
    assert main(["report", str(run)]) == ExitCode.USAGE
    assert "belongs to the user 12345" in capsys.readouterr().err
    assert not (run / "report.html").exists()
    assert main(["report", str(run), "-o", str(tmp_path / "page.html")]) == ExitCode.DONE
    assert (tmp_path / "page.html").exists()
    assert main(["report", str(run), "--no-page"]) == ExitCode.DONE
