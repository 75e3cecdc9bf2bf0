"""Settings of the command's own process."""

import os
import subprocess
import sys

import pytest

from cstates.pinning.process_scope import ProcessScope, plan_process
from cstates.pinning.request import PinRequest
from cstates.pinning.targets import PinTargets
from stallscope.errors import UnableError
from stallscope.system_files import Roots

CODE = (
    "import os; print(sorted(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0),"
    " open('/proc/self/personality').read().strip())"
)


def state_in(scope: ProcessScope) -> str:
    return subprocess.run(
        [sys.executable, "-S", "-c", CODE],
        preexec_fn=scope.enter,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.strip()


def test_a_process_gets_its_cpus_niceness_and_fixed_addresses() -> None:
    cpu = max(os.sched_getaffinity(0))
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    scope = ProcessScope(cpus=(cpu,), nice=min(19, nice + 3), aslr_off=True, thp_off=True)
    assert state_in(scope) == f"[{cpu}] {min(19, nice + 3)} 00040000"


def test_an_empty_scope_changes_nothing() -> None:
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    assert state_in(ProcessScope()).startswith(f"{sorted(os.sched_getaffinity(0))} {nice} ")


def test_only_settings_that_differ_are_changes() -> None:
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    targets = PinTargets((0,), (0,), (), all_capped=False)
    request = PinRequest(nice=nice, aslr_off=True)
    scope, changes = plan_process(Roots(), request, targets)
    assert [change.knob for change in changes] == ["aslr"]
    assert (scope.cpus, scope.nice, scope.aslr_off) == (None, nice, True)


def test_a_smaller_niceness_needs_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    targets = PinTargets((0,), (0,), (), all_capped=False)
    with pytest.raises(UnableError, match="needs root"):
        plan_process(Roots(), PinRequest(nice=-20), targets)
