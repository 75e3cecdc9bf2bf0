"""The period for which both a diagnosis and the account of its program are known.

A program measures itself from its first iteration to its last one; a recording also has its start,
or only a part of its run. Both are compared for the period that they have in common.
"""

from bisect import bisect_right
from collections.abc import Sequence

from harness.labs.waits.waiting_programs import AccountReading, RunAccount, ThreadAccount

MIN_PERIOD_NS = 200_000_000
Period = tuple[int, int]


def common_period(account: RunAccount, begin_ns: int, end_ns: int) -> Period | None:
    """Return the longest period between readings of all threads in a recording's time.

    None if the account has no readings, or they have less than 0.2 s in common.
    """
    inside = [
        [row.at_ns for row in thread.readings if begin_ns <= row.at_ns <= end_ns]
        for thread in account.threads
    ]
    if not inside or not all(inside):
        return None
    begin, end = max(times[0] for times in inside), min(times[-1] for times in inside)
    return (begin, end) if end - begin >= MIN_PERIOD_NS else None


def account_within(account: RunAccount, period: Period) -> RunAccount:
    """Return the account of each thread within the period."""
    return RunAccount(
        elapsed_ns=period[1] - period[0],
        threads=tuple(_within(thread, period) for thread in account.threads),
    )


def _within(thread: ThreadAccount, period: Period) -> ThreadAccount:
    """Return the time of a thread in the period."""
    first, last = (_at(thread.readings, time_ns) for time_ns in period)
    return ThreadAccount(
        tid=thread.tid,
        name=thread.name,
        wall_ns=period[1] - period[0],
        states_ns={state: max(0, time_ns - first.get(state, 0)) for state, time_ns in last.items()},
    )


def _at(readings: Sequence[AccountReading], time_ns: int) -> dict[str, int]:
    """Return the states up to a time, in proportion between the readings around it."""
    place = bisect_right(readings, time_ns, key=lambda reading: reading.at_ns)
    before = readings[max(0, place - 1)]
    after = readings[min(place, len(readings) - 1)]
    length = after.at_ns - before.at_ns
    share = min(1.0, max(0.0, (time_ns - before.at_ns) / length)) if length else 0.0
    return {
        state: round(
            before.states_ns.get(state, 0) * (1 - share) + after.states_ns.get(state, 0) * share
        )
        for state in {*before.states_ns, *after.states_ns}
    }
