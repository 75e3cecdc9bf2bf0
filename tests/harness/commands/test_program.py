"""The native programs are reachable through the console script."""

import subprocess
import sys

import pytest

from harness.commands.program import PROGRAMS
from stallscope.programs import FOLDER


def stallscope(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stallscope", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_list_names_every_installed_program() -> None:
    assert {f"stallscope-{name}" for name in PROGRAMS} == {path.name for path in FOLDER.iterdir()}
    listed = stallscope("program")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_its_own_help(name: str) -> None:
    run = stallscope("program", name, "--help")
    assert run.returncode == 0, run.stderr
    assert f"stallscope-{name}" in run.stdout


def test_kernels_are_listed_and_options_pass_through() -> None:
    run = stallscope("kernels", "--list")
    assert run.returncode == 0, run.stderr
    assert "random-branches" in run.stdout


def test_an_unknown_program_is_a_usage_error() -> None:
    assert stallscope("program", "nonsense").returncode == 2
