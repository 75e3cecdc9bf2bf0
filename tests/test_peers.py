"""A crash of a peer is printed and does not fail a stallscope test."""

import subprocess
from pathlib import Path

import pytest

from tests.peers import ATTEMPTS, run_peer

CRASH_ONCE = 'if [ -e "$1" ]; then echo done; else touch "$1"; kill -ABRT $$; fi'


def test_a_command_that_aborts_once_runs_again(tmp_path: Path) -> None:
    command = ["sh", "-c", CRASH_ONCE, "sh", str(tmp_path / "mark")]
    with pytest.warns(UserWarning, match=r"sh -c crashed \(status -6\), attempt 1"):
        run = run_peer(command, capture_output=True, text=True, check=True)
    assert run.stdout == "done\n"


def test_a_crash_repeats_a_command_whose_output_is_not_a_file(tmp_path: Path) -> None:
    command = ["sh", "-c", CRASH_ONCE, "sh", str(tmp_path / "mark")]
    with pytest.warns(UserWarning, match="attempt 1"), Path("/dev/null").open("wb") as output:
        assert run_peer(command, stdout=output).returncode == 0


def test_what_a_crashed_command_wrote_to_a_file_is_removed(tmp_path: Path) -> None:
    output = tmp_path / "output"
    command = ["sh", "-c", f"echo part; {CRASH_ONCE}", "sh", str(tmp_path / "mark")]
    with pytest.warns(UserWarning, match="attempt 1"), output.open("wb") as stdout:
        run_peer(command, stdout=stdout)
    assert output.read_text() == "part\ndone\n"


def test_a_command_that_always_aborts_skips_the_test() -> None:
    with (
        pytest.warns(UserWarning, match=f"attempt {ATTEMPTS}"),
        pytest.raises(pytest.skip.Exception),
    ):
        run_peer(["sh", "-c", "kill -ABRT $$"])


def test_a_failure_without_a_crash_is_returned() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run_peer(["false"], check=True)
