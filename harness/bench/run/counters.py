"""Counters of each command, in one further run: instructions and the first level of slots.

The counters are opened on the launcher, whose children inherit them, and cover one run. Its time is
not part of the result.
"""

import time
from collections.abc import Sequence

from harness.bench.run.measurement import CommandRunner
from harness.bench.run.result import CommandCounters
from stallscope.errors import StallscopeError


def count_commands(
    runner: CommandRunner, launcher_pid: int, count: int
) -> tuple[CommandCounters, ...]:
    """Return the counters of every command; the reason why there are none if they are missing."""
    from harness.topdown.phase_counts import counted_phases, phase_events  # noqa: PLC0415 - heavy

    counters = []
    try:
        events = phase_events(("instructions",))
        if events.unavailable:
            return missing_counters(events.unavailable, count)
        for index in range(count):
            with counted_phases(events, (launcher_pid,)) as counting:
                counting.collector.marks.send(f"start {_now_ns()}\n".encode())
                runner.run(index)
                counting.collector.marks.send(f"stop {_now_ns()}\n".encode())
                phase = counting.finish()[0]
            counters.append(
                CommandCounters(
                    instructions=phase.count("instructions"),
                    ipc=phase.ipc,
                    slots={slot.name: slot.share for slot in phase.slots},
                    unavailable=phase.unavailable,
                )
            )
    except (StallscopeError, IndexError) as error:
        reason = error.message if isinstance(error, StallscopeError) else "nothing was counted"
        return (*counters, *missing_counters(reason, count - len(counters)))
    return tuple(counters)


def missing_counters(reason: str, count: int) -> tuple[CommandCounters, ...]:
    """Return counters without values."""
    return (CommandCounters(unavailable=reason),) * count


def _now_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def first_reason(commands: Sequence[CommandCounters]) -> str:
    """Return why counters are unavailable; empty if they are not."""
    return next((counters.unavailable for counters in commands if counters.unavailable), "")
