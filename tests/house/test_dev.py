"""./dev on a machine that lacks packages, and called again on one that lacks nothing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def bare_checkout(checkout: Path, tmp_path: Path) -> Path:
    """A folder with ./dev alone, where the package database knows nothing, as nobody's own."""
    folder = tmp_path / "checkout"
    commands = folder / "commands"
    commands.mkdir(parents=True)
    shutil.copy(checkout / "dev", folder / "dev")
    for name, body in (("dpkg-query", "exit 0"), ("apt-get", "exit 0"), ("sudo", "exit 1")):
        (commands / name).write_text(f"#!/bin/sh\n{body}\n")
        (commands / name).chmod(0o755)
    return folder


@pytest.mark.usefixtures("needs_root")
def test_without_root_it_says_what_to_ask_for(bare_checkout: Path) -> None:
    place = shutil.copytree(bare_checkout, Path("/tmp") / f"bare-{os.getpid()}")
    try:
        place.chmod(0o777)
        run = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", place / "dev", "demo"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={"PATH": f"{place}/commands:/usr/sbin:/usr/bin:/sbin:/bin"},
        )
    finally:
        shutil.rmtree(place)
    assert run.returncode == 3
    assert "installing these system packages:\n" in run.stderr
    assert "  libpfm4-dev (event names of the PMUs)\n" in run.stderr
    assert "Ask the administrator to run:\ndev:   apt-get install --no-install-recommends g++ " in (
        run.stderr
    )


def test_a_second_call_does_nothing_again(checkout: Path, tmp_path: Path) -> None:
    """What set-up does is stamped: the build of this checkout is not made anew."""
    wheel = next((checkout / "dist").glob("*.whl"))
    before = wheel.stat().st_mtime_ns
    again = subprocess.run(
        [checkout / "dev", "test", "--collect-only", "-q", "tests/house/test_dev.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert "building" not in again.stderr
    assert "installing" not in again.stderr
    assert wheel.stat().st_mtime_ns == before
