"""Options of `io curve` and `io mix`: a single error per invalid value."""

from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.cli.quantity_options import time_ns
from stallscope.errors import ExitCode, UsageError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["curve", "x", "--slo-p99", "soon"], "--slo-p99: 'soon' is not a time"),
        (["curve", "x", "--slo-p99", "0ms"], "--slo-p99: '0ms' is not a time"),
        (["curve", "x", "--block", "many"], "--block: 'many' is not a size"),
        (["curve", "x", "--size", "0"], "--size: '0' is not a size"),
        (["curve", "x", "--most-depth", "1"], "--max-depth"),
        (["mix", "x", "--sizes", "4K,,8K"], "--sizes: '' is not a size"),
        (["mix", "x", "--sizes", ",".join(f"{n}K" for n in range(1, 18))], "17 sizes"),
        (["mix", "x", "--picture", "x.gif"], "--picture x.gif: unknown format"),
        (["curve", "/nowhere/at/all"], "no such file"),
        (["curve", "sim:servers=0,service=1ms"], "servers must be a number"),
    ],
)
def test_an_invalid_option_is_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["io", *options]) == ExitCode.USAGE
    assert message in capsys.readouterr().err


def test_times_have_a_unit() -> None:
    assert time_ns("--slo-p99", "500us") == 500_000
    assert time_ns("--slo-p99", "2.5ms") == 2_500_000
    assert time_ns("--slo-p99", None) is None
    with pytest.raises(UsageError):
        time_ns("--slo-p99", "2 minutes")


def test_no_file_remains_of_a_recording_that_did_not_start(tmp_path: Path) -> None:
    folder = tmp_path / "curve"
    assert main(["io", "curve", "/nowhere/at/all", "-o", str(folder)]) == ExitCode.USAGE
    assert not folder.exists()
