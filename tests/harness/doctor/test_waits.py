"""Sources of waits on recorded machines."""

from dataclasses import replace
from pathlib import Path

from harness.doctor.waits import check_waits
from harness.machine_checks.check import Status
from harness.machine_checks.machine import CheckedMachine
from harness.machine_checks.probes import EventProbes, Probe
from stallscope.system_files import Roots
from tests.harness.doctor.machines import machine

OPENED = Probe(ok=True, error="", detail="")
REFUSED = Probe(ok=False, error="EACCES", detail="")
PROBES = ("context-switch", "kernel", "cpu-wide")


def system(folder: Path, *opened: str, tracepoints: tuple[str, ...] = ()) -> CheckedMachine:
    """Return a machine on which these probes succeed and these tracepoints are readable."""
    for name in tracepoints:
        event = folder / "kernel" / "tracing" / "events" / name
        event.mkdir(parents=True)
        (event / "id").write_text("7\n")
    base = machine("user-at-paranoid-2")
    probes = {name: OPENED if name in opened else REFUSED for name in PROBES}
    roots = Roots(base.roots.proc, folder, base.roots.files)
    return replace(base, events=EventProbes(probes), roots=roots)


def mounted(base: CheckedMachine, folder: Path, mounts: str) -> CheckedMachine:
    """Return the machine with these lines of /proc/self/mounts."""
    file = folder / "proc" / "self" / "mounts"
    file.parent.mkdir(parents=True)
    file.write_text(mounts)
    return replace(base, roots=Roots(folder / "proc", base.roots.sys, base.roots.files))


def test_all_sources_are_readable_for_root(tmp_path: Path) -> None:
    events = ("sched/sched_waking", "lock/contention_begin")
    check = check_waits(system(tmp_path, *PROBES, tracepoints=events))
    assert check.status is Status.AVAILABLE
    assert "wake-ups, kernel locks" in check.detail
    assert check.remedy == ""


def test_an_ordinary_user_records_switches_alone(tmp_path: Path) -> None:
    check = check_waits(system(tmp_path, "context-switch"))
    assert check.status is Status.LIMITED
    assert check.detail.startswith("readable: switches, readings of /proc; missing: stacks")
    assert "perf_event_paranoid=1" in check.remedy


def test_without_tracefs_wake_ups_are_missing(tmp_path: Path) -> None:
    check = check_waits(mounted(system(tmp_path, *PROBES), tmp_path, ""))
    assert check.status is Status.LIMITED
    assert "missing: wake-ups, kernel locks" in check.detail
    assert "mount -t tracefs" in check.remedy


def test_a_tracefs_that_the_user_may_not_enter_needs_root(tmp_path: Path) -> None:
    base = system(tmp_path, *PROBES)
    check = check_waits(mounted(base, tmp_path, "tracefs /sys/kernel/tracing tracefs rw 0 0\n"))
    assert "missing: wake-ups, kernel locks" in check.detail
    assert check.remedy.startswith("run as root")


def test_a_kernel_without_the_tracepoint_of_locks_keeps_the_other_sources(tmp_path: Path) -> None:
    check = check_waits(system(tmp_path, *PROBES, tracepoints=("sched/sched_waking",)))
    assert "missing: kernel locks" in check.detail
    assert check.status is Status.LIMITED


def test_without_switches_waits_are_unavailable(tmp_path: Path) -> None:
    check = check_waits(system(tmp_path))
    assert check.status is Status.UNAVAILABLE
    assert check.detail.startswith("readable: readings of /proc; missing: switches")
