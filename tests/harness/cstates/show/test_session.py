"""`stallscope cstates show` on generated machines: text, document, panel."""

from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode
from tests.harness.cstates.show.results import Machines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cpus", "0-3,8-,x"), "'8-' is neither a CPU nor a range"),
        (("--cpus", "7"), "this machine has no CPU 7"),
        (("--interval", "1"), "--interval needs a live machine"),
        (("--interval", "nan"), "not a finite number"),
        (("--interval", "0"), "not in the range"),
    ],
)
def test_invalid_options_are_rejected(
    machine: Machines, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    roots = machine("nehalem-ep-workstation")
    arguments = ["--sysfs-root", str(roots.sys), "--proc-root", str(roots.proc), *options]
    assert main(["cstates", "show", *arguments]) == ExitCode.USAGE
    assert message in capsys.readouterr().err


def test_a_folder_without_cpus_is_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cstates", "show", "--sysfs-root", str(tmp_path)]) == ExitCode.USAGE
    assert "sysfs" in capsys.readouterr().err
