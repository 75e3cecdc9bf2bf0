"""The command without its extra."""

from pathlib import Path

import pytest

import harness.mcp.session
from harness.cli.command_line import main
from stallscope.errors import ExitCode


def test_without_the_sdk_one_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(harness.mcp.session, "find_spec", lambda _: None)
    assert main(["mcp", "--directory", str(tmp_path / "runs")]) == ExitCode.UNABLE
    assert "pip install 'stallscope[mcp]'" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
