"""Signals that end the process: temporary files are removed, and the exit status is the signal."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import signal, sys, tempfile
from harness.cli.termination import terminable
if sys.argv[1] == "ignored":
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
with terminable(), tempfile.TemporaryDirectory() as folder:
    print(folder, flush=True)
    sys.stdin.read()
    print("read on", flush=True)
"""


def _started(word: str) -> tuple["subprocess.Popen[str]", str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, word],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_removes_temporary_files_and_ends_the_process(number: signal.Signals) -> None:
    process, folder = _started("default")
    process.send_signal(number)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == -number
    assert output == ""
    assert not Path(folder).exists()


def test_an_ignored_signal_stays_ignored() -> None:
    process, _ = _started("ignored")
    process.send_signal(signal.SIGHUP)
    output, _ = process.communicate(input="", timeout=30)
    assert (process.returncode, output) == (0, "read on\n")
