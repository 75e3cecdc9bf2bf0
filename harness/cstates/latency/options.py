"""The tests that words of a command line ask for, and the CPUs they run on."""

import os

from cstates.sysfs import chosen_cpus, online_cpus
from cstates.wake_latency import KINDS, WakeTest
from stallscope.cpu_lists import expand_cpu_list, format_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import Roots

LONGEST_THINK_US = 10_000.0


def wake_tests(kinds: str, think_us: str, *, processes: int) -> tuple[WakeTest, ...]:
    """Return every kind with every think time; UsageError for what is neither."""
    thinks = [_think(word) for word in think_us.split(",")]
    names = list(dict.fromkeys(kinds.split(",")))
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise UsageError(f"--kind {unknown[0]!r} is not known", f"known are {', '.join(KINDS)}")
    return tuple(
        WakeTest(name, think, 1 if name == "timer" else processes)
        for name in names
        for think in dict.fromkeys(thinks)
    )


def _think(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST_THINK_US:
        raise UsageError(
            f"--think-us {word!r} is no time", f"name microseconds from 0 to {LONGEST_THINK_US:g}"
        )
    return value


def wake_cpus(roots: Roots, text: str | None, *, processes: int) -> tuple[int, ...]:
    """Return the processes' CPUs: of a list in its order, else the first that are online.

    With fewer than processes they take turns. UsageError for one that is not there or offline, or
    that this process may not use, and for more of them than processes.
    """
    usable = online_cpus(roots)
    if roots.is_live:
        usable &= os.sched_getaffinity(0)
    if text is None:
        return tuple(sorted(usable)[:processes])
    wanted = chosen_cpus(roots, text)
    if not usable.issuperset(wanted):
        shut = format_cpu_list(set(wanted) - usable)
        raise UsageError(
            f"--cpus {text!r}: CPU {shut} is offline, or this process may not use it",
            f"choose of {format_cpu_list(usable)}",
        )
    listed = expand_cpu_list(text)
    if len(listed) > processes:
        raise UsageError(
            f"--cpus {text!r} names {len(listed)} CPUs, and there are {processes} processes",
            "name one a process: the client's, then those of who answers it, as 2,0",
        )
    return listed
