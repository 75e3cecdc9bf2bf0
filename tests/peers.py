"""Runs other profilers, such as perf, which abort now and then on a loaded machine."""

import os
import signal
import stat
import subprocess
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ATTEMPTS = 3
CRASHES = {-signal.SIGABRT, -signal.SIGSEGV, 128 + signal.SIGABRT, 128 + signal.SIGSEGV}


def run_peer(
    command: Sequence[str | Path], *, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """The result of a peer's command; if the peer crashes, the crash is printed and the command repeated.

    Options are those of `subprocess.run`. The test is skipped if the peer crashes three times, because
    such a run is no evidence about stallscope.
    """
    name = " ".join([Path(command[0]).name, *map(str, command[1:2])])
    for attempt in range(1, ATTEMPTS + 1):
        run = subprocess.run(command, check=False, **options)
        if run.returncode not in CRASHES:
            if check:
                run.check_returncode()
            return run
        warnings.warn(f"{name} crashed (status {run.returncode}), attempt {attempt}", stacklevel=2)
        output = options.get("stdout")
        if hasattr(output, "truncate") and stat.S_ISREG(os.fstat(output.fileno()).st_mode):
            output.seek(0)
            output.truncate()
    pytest.skip(f"needs the program {name}: it crashed {ATTEMPTS} times")
