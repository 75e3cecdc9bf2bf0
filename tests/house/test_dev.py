"""./dev on a machine without the packages, and a second call on a complete one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def bare_checkout(checkout: Path, tmp_path: Path) -> Path:
    """A folder that contains only ./dev, with an empty package database and without sudo."""
    folder = tmp_path / "checkout"
    commands = folder / "commands"
    commands.mkdir(parents=True)
    shutil.copy(checkout / "dev", folder / "dev")
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
