"""Conditions that make a benchmark less repeatable, observed during the runs."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.bench.run.result import CommandRuns
from stallscope.machine_time import MachineTime, read_machine_time
from stallscope.system_files import Roots, names_in, read_integer

SHORT_NS = 5e6  # the start of a process takes about 0.5 ms of it
_BUSY_SHARE = 0.05
_STOLEN_SHARE = 0.01
_CLOCK_STEPS = 100  # of the clock within a run


@dataclass(frozen=True, slots=True)
class RunConditions:
    """Counters of the machine at one moment."""

    machine: MachineTime | None
    own_cpu_s: float  # of this process and all that it started
    throttle_events: int

    @classmethod
    def now(cls, roots: Roots = Roots()) -> "RunConditions":  # noqa: B008 - immutable
        """Return the counters now."""
        return cls(read_machine_time(roots.proc), _own_cpu_s(), _throttle_events(roots.sys))


def _own_cpu_s() -> float:
    """Return the CPU time of this process and its descendants: commands, clients, servers."""
    import psutil  # noqa: PLC0415 - start-up stays light

    own = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        own += usage.ru_utime + usage.ru_stime
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            own += sum(process.cpu_times()[:4])  # its own and that of its ended children
    return own


def _throttle_events(sysfs: Path) -> int:
    cpus = sysfs / "devices/system/cpu"
    return sum(
        read_integer(cpus / cpu / "thermal_throttle" / file) or 0
        for cpu in names_in(cpus)
        if cpu.removeprefix("cpu").isdecimal()
        for file in ("core_throttle_count", "package_throttle_count")
    )


def machine_warnings(before: RunConditions, after: RunConditions) -> Iterator[str]:
    """Yield throttling, busy neighbours and stolen time between two moments."""
    throttled = after.throttle_events - before.throttle_events
    if throttled > 0:
        yield f"throttled: the CPUs reported {throttled} thermal limits during the runs"
    if before.machine is None or after.machine is None:
        return
    total = after.machine.all - before.machine.all
    if total <= 0:
        return
    stolen = (after.machine.stolen - before.machine.stolen) / total
    if stolen > _STOLEN_SHARE:
        yield f"noisy neighbour: the host took {stolen:.1%} of the CPU time (steal)"
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    idle = after.machine.idle - before.machine.idle
    interrupts = after.machine.interrupts - before.machine.interrupts  # often the commands' own I/O
    busy_s = (total - idle - interrupts) / ticks_per_s
    own_s = after.own_cpu_s - before.own_cpu_s
    others = (busy_s - own_s) / (total / ticks_per_s) - stolen
    if others > _BUSY_SHARE:
        yield f"noisy neighbour: other processes used {others:.0%} of the CPU time"


def settings_warnings(settings: Fingerprint | None) -> tuple[str, ...]:
    """Return frequency, sleep states and turbo that make runs less repeatable."""
    return () if settings is None else settings.warnings


def command_warnings(command: CommandRuns) -> Iterator[str]:
    """Yield what makes the runs of one command less meaningful."""
    median = command.wall_ns.median
    if median is None:
        yield f"{command.name}: no run succeeded"
    elif median < _CLOCK_STEPS * clock_resolution_ns():
        yield f"{command.name}: too short for the clock, which has {clock_resolution_ns()} ns steps"
    elif median < SHORT_NS:
        yield (
            f"{command.name}: too short: {median / 1e6:.2f} ms, of which about 0.5 ms is the start "
            "of the process; let it repeat its work"
        )
    if command.failed:
        failed = (
            "1 run failed and is"
            if command.failed == 1
            else f"{command.failed} runs failed and are"
        )
        yield f"{command.name}: {failed} left out"


def clock_resolution_ns() -> int:
    """Return the step of CLOCK_MONOTONIC."""
    return max(1, round(time.clock_getres(time.CLOCK_MONOTONIC) * 1e9))
