"""./dev on a machine without the packages, and a second call on a complete one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def bare_checkout(checkout: Path, tmp_path: Path) -> Path:
    """A folder that contains only ./dev and its list of packages, with an empty package database and without sudo."""
    folder = tmp_path / "checkout"
    commands = folder / "commands"
    commands.mkdir(parents=True)
    shutil.copy(checkout / "dev", folder / "dev")
    (folder / "tools").mkdir()
    shutil.copy(checkout / "tools" / "debian-packages.txt", folder / "tools")
    for name, body in (("dpkg-query", "exit 0"), ("apt-get", "exit 0"), ("sudo", "exit 1")):
        (commands / name).write_text(f"#!/bin/sh\n{body}\n")
        (commands / name).chmod(0o755)
    return folder


@pytest.mark.usefixtures("needs_root")
def test_without_root_the_command_for_the_administrator_is_printed(bare_checkout: Path) -> None:
    folder = shutil.copytree(bare_checkout, Path("/tmp") / f"bare-{os.getpid()}")
    try:
        folder.chmod(0o777)
        run = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", folder / "dev", "demo"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={"PATH": f"{folder}/commands:/usr/sbin:/usr/bin:/sbin:/bin"},
        )
    finally:
        shutil.rmtree(folder)
    assert run.returncode == 3
    assert "installing these system packages:\n" in run.stderr
    assert "  libpfm4-dev (event names of the PMUs)\n" in run.stderr
    assert "Ask the administrator to run:\ndev:   apt-get install --no-install-recommends g++ " in (
        run.stderr
    )


def test_a_second_call_builds_nothing(checkout: Path, tmp_path: Path) -> None:
    """Stamps record the set-up, so the build of this checkout is not repeated."""
    wheel = next((checkout / "dist").glob("*.whl"))
    before = wheel.stat().st_mtime_ns
    run = subprocess.run(
        [checkout / "dev", "test", "--collect-only", "-q", "tests/house/test_dev.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert "building" not in run.stderr
    assert "installing" not in run.stderr
    assert wheel.stat().st_mtime_ns == before


def stub_pytest(checkout: Path, body: str) -> None:
    """Replaces the environment of a checkout by a pytest that runs this shell script."""
    program = checkout / ".venv" / "bin" / "pytest"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    (checkout / "build").mkdir()


FAILING_BESIDE = """
echo "$*" >>calls
case "$*" in
  *--part=beside*) echo "tests/live/test_it.py::test_a[b c]" >"$STALLSCOPE_TESTS_AGAIN"; exit 1 ;;
  *--part=alone*) exit 0 ;;
  *) exit "$AGAIN" ;;
esac
"""


@pytest.mark.parametrize("again", [0, 1])
def test_measuring_tests_that_failed_run_again_at_the_end(bare_checkout: Path, again: int) -> None:
    stub_pytest(bare_checkout, FAILING_BESIDE)
    statuses = [
        subprocess.run(
            ["sh", "./dev", "stage", name],
            cwd=bare_checkout,
            env=os.environ | {"AGAIN": str(again)},
            capture_output=True,
            check=False,
        ).returncode
        for name in ("pytest-beside", "pytest-alone")
    ]
    assert statuses == [0, again]
    last = (bare_checkout / "calls").read_text().splitlines()[-1]
    assert last == "tests/live/test_it.py::test_a[b c]"


def test_a_failure_that_may_not_run_again_fails_its_part(bare_checkout: Path) -> None:
    stub_pytest(bare_checkout, "exit 1")
    run = subprocess.run(
        ["sh", "./dev", "stage", "pytest-beside"],
        cwd=bare_checkout,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 1
