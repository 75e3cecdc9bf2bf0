"""Runs of `stallscope io watch`: wrong usage, and machines without tracepoints."""

from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.io.watch.options import WatchOptions
from harness.io.watch.session import run_watch
from stallscope.errors import UsageError
from stallscope.tracing import instance


def test_invalid_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["-d", ""], ["--duration", "nan"], ["-p", "0"]):
        assert main(["io", "watch", *options]) == 2
        assert "error" in capsys.readouterr().err.lower()


def test_an_unknown_device_is_refused_before_anything_is_recorded(tmp_path: Path) -> None:
    options = WatchOptions(
        devices=("no-such-disk",), pids=(), duration_s=1.0, output=tmp_path / "run", force=False
    )
    with pytest.raises(UsageError, match="no-such-disk"):
        run_watch(options, as_json=False)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("user", "reason"), [(1000, "root"), (0, "tracefs is not mounted")])
def test_without_tracepoints_there_is_a_single_error_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    user: int,
    reason: str,
) -> None:
    monkeypatch.setattr(instance, "TRACEFS", (tmp_path / "none",))
    monkeypatch.setattr("os.geteuid", lambda: user)
    folder = tmp_path / "run"
    assert main(["io", "watch", "--duration", "1", "-o", str(folder)]) == 3
    output = capsys.readouterr()
    assert reason in output.err
    assert output.err.count("error") == 1
    assert output.out == ""
    assert not folder.exists()  # a recording without a result is removed
