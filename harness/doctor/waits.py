"""The check of the sources of waits: what `stallscope waits` can record for this user."""

from collections.abc import Iterator

from harness.machine_checks.check import Check, Status
from harness.machine_checks.events import allowed, refusal_remedy
from harness.machine_checks.machine import CheckedMachine
from stallscope.system_files import read_text

_FORMAT_BYTES = 64


def check_waits(machine: CheckedMachine) -> Check:
    """Return which sources of waits are readable, with the first remedy for a missing one.

    Readings of /proc are always possible; without switches they show long waits only.
    """
    readable, missing, remedies = [], [], []
    for name, remedy in _sources(machine):
        if remedy is None:
            readable.append(name)
        else:
            missing.append(name)
            remedies += [remedy] if remedy else []
    detail = f"readable: {', '.join(readable)}"
    detail += f"; missing: {', '.join(missing)}" if missing else ""
    status = Status.LIMITED if missing else Status.AVAILABLE
    if "switches" in missing:
        status = Status.UNAVAILABLE
    return Check("waits", status, detail, next(iter(remedies), ""))


def _sources(machine: CheckedMachine) -> Iterator[tuple[str, str | None]]:
    """Yield each source with None if it is readable, otherwise with its remedy."""
    for name, probe, level in (
        ("switches", "context-switch", 2),
        ("stacks at switches", "kernel", 1),
        ("other threads on the CPUs", "cpu-wide", 0),
    ):
        test = allowed(machine, probe, level)
        yield name, None if test.ok else refusal_remedy(machine, test, level)
    wide = allowed(machine, "cpu-wide", 0)
    for name, event in (
        ("wake-ups", "sched/sched_waking"),
        ("kernel locks", "lock/contention_begin"),
    ):
        if not wide.ok:
            yield name, refusal_remedy(machine, wide, 0)
        else:
            yield name, None if _has_tracepoint(machine, event) else _tracefs_remedy(machine)
    yield "readings of /proc", None


def _has_tracepoint(machine: CheckedMachine, event: str) -> bool:
    kernel = machine.roots.sys / "kernel"
    return any(
        read_text(folder / "events" / event / "id", _FORMAT_BYTES)
        for folder in (kernel / "tracing", kernel / "debug" / "tracing")
    )


def _tracefs_remedy(machine: CheckedMachine) -> str:
    if any(mount.kind == "tracefs" for mount in machine.mounts):
        return "run as root: sudo $(command -v stallscope) ..."
    return machine.as_root("mount -t tracefs tracefs /sys/kernel/tracing")
