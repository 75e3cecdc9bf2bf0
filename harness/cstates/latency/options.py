"""The options of `stallscope cstates latency`: the tests and the CPUs they run on."""

import os
from dataclasses import dataclass

from cstates.sysfs import chosen_cpus, online_cpus
from cstates.wake_latency import KINDS, WakeTest
from stallscope.cpu_lists import expand_cpu_list, format_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import Roots

MAX_THINK_US = 10_000.0


@dataclass(frozen=True, slots=True)
class LatencyOptions:
    """The tests, the CPUs of their processes in order, and the length of the measurement."""

    tests: tuple[WakeTest, ...]
    cpus: tuple[int, ...]
    rounds: int
    seconds: float  # per run

    def cpus_of(self, test: WakeTest) -> tuple[int, ...]:
        """Return the sorted CPUs that a test's processes run on."""
        return tuple(sorted(set(self.cpus[: test.processes])))


def wake_tests(kinds: str, think_us: str, *, processes: int) -> tuple[WakeTest, ...]:
    """Return every kind with every think time; UsageError for an invalid name or time."""
    think_times = [_think_time_us(word) for word in think_us.split(",")]
    names = list(dict.fromkeys(kinds.split(",")))
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise UsageError(f"--kind {unknown[0]!r} is unknown", f"known kinds: {', '.join(KINDS)}")
    return tuple(
        WakeTest(name, think_time_us, 1 if name == "timer" else processes)
        for name in names
        for think_time_us in dict.fromkeys(think_times)
    )


def _think_time_us(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MAX_THINK_US:
        raise UsageError(
            f"--think-us {word!r} is not a time", f"name microseconds from 0 to {MAX_THINK_US:g}"
        )
    return value


def wake_cpus(roots: Roots, text: str | None, *, processes: int) -> tuple[int, ...]:
    """Return the CPUs of the processes: those of a list in its order, or the first online CPUs.

    If there are fewer CPUs than processes, processes share them. Raises UsageError for a CPU that
    is absent, offline or not usable by this process, and for more CPUs than processes.
    """
    usable = online_cpus(roots)
    if roots.is_live:
        usable &= os.sched_getaffinity(0)
    if text is None:
        return tuple(sorted(usable)[:processes])
    selected = chosen_cpus(roots, text)
    if not usable.issuperset(selected):
        unusable = format_cpu_list(set(selected) - usable)
        raise UsageError(
            f"--cpus {text!r}: CPU {unusable} is offline, or this process may not use it",
            f"usable CPUs: {format_cpu_list(usable)}",
        )
    ordered = expand_cpu_list(text)
    if len(ordered) > processes:
        raise UsageError(
            f"--cpus {text!r} names {len(ordered)} CPUs for {processes} processes",
            "name one CPU per process, the client's first, for example 2,0",
        )
    return ordered
