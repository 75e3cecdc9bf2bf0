"""Comparison of a diagnosis of waits with the program's own account.

The account has CPU time as one state, so user and system time are added. Threads with the same
name are compared together.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from harness.labs.waits.result import FoundCause, ProgramVerdict, StateShare
from harness.labs.waits.waiting_programs import ExpectedCause, RunAccount
from harness.waits.result import WaitsResult

TOLERANCE = 0.03  # of the wall time of the threads with the same name
MIN_CAUSE_SHARE = 0.05  # of the wall time of all threads
RUNNING = "running"
REST = "rest"
STOLEN = "stolen"
_RUNNING_STATES = ("user", "system")
_STATE_CAUSES = ("run_queue", "throttled")


def state_shares(account: RunAccount, result: WaitsResult) -> tuple[StateShare, ...]:
    """Return the shares of each state by thread name, expected and found.

    The expected rest (time that the program cannot explain) is compared with nothing.
    """
    expected = _shares((thread.name, thread.states_ns) for thread in account.threads)
    tids = {thread.tid: thread.name for thread in account.threads}
    found = _shares(
        (tids[thread.tid], _with_running(thread.states_ns))
        for thread in result.threads
        if thread.tid in tids
    )
    rows: list[StateShare] = []
    for name, states in expected.items():
        own = found.get(name, {})
        for state in sorted({*states, *own} - {REST}):
            share = own.get(state, 0.0) if own else None
            if states.get(state, 0.0) or share:
                rows.append(
                    StateShare(
                        threads=name, state=state, expected=states.get(state, 0.0), share=share
                    )
                )
    return tuple(rows)


def _with_running(states_ns: Mapping[str, int]) -> dict[str, int]:
    waiting = {key: ns for key, ns in states_ns.items() if key not in _RUNNING_STATES}
    return {RUNNING: sum(states_ns.get(key, 0) for key in _RUNNING_STATES), **waiting}


def _shares(threads: Iterable[tuple[str, Mapping[str, int]]]) -> dict[str, dict[str, float]]:
    """Return the share of each state in the time of the threads with each name."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for name, states in threads:
        for state, time_ns in states.items():
            sums[name][state] += time_ns
    return {
        name: {state: time_ns / max(1, sum(states.values())) for state, time_ns in states.items()}
        for name, states in sums.items()
    }


def largest_difference(shares: Iterable[StateShare]) -> float | None:
    """Return the largest difference of a share; None if no thread was found.

    A program cannot see time that the hypervisor took: its account has it in other states. So a
    difference counts as far as it is above the stolen time of the threads.
    """
    rows = [(row, row.share) for row in shares if row.share is not None]
    stolen = {row.threads: share for row, share in rows if row.state == STOLEN}
    differences = [
        max(0.0, abs(share - row.expected) - stolen.get(row.threads, 0.0))
        for row, share in rows
        if row.state != STOLEN
    ]
    return max(differences, default=None)


def found_causes(result: WaitsResult, expected: ExpectedCause | None) -> tuple[FoundCause, ...]:
    """Return the causes of a diagnosis, in order of cost.

    Threads that could run wait for no thread, so the causes of the document do not have their time.
    If the expected cause is a state, the states in which threads do not run are the causes; if it
    is a process, those that ran meanwhile are causes too. Causes of less than 5 % of the wall time
    of all threads are left out: a program without a fault has some first cause as well.
    """
    if expected is not None and expected.kind in _STATE_CAUSES:
        sums: dict[str, int] = defaultdict(int)
        for thread in result.threads:
            for state, time_ns in thread.states_ns.items():
                if state not in _RUNNING_STATES:
                    sums[state] += time_ns
        causes = [
            FoundCause(kind=state, name="", wait_ns=time_ns) for state, time_ns in sums.items()
        ]
    else:
        causes = [
            FoundCause(kind=cause.kind, name=cause.name, wait_ns=cause.wait_ns)
            for cause in result.causes
        ]
        if expected is not None and expected.kind == "process":
            causes += [
                FoundCause(kind=user.kind, name=user.name, wait_ns=user.time_ns)
                for user in result.run_queue
            ]
    wall_ns = sum(thread.wall_ns for thread in result.threads)
    large = (cause for cause in causes if cause.wait_ns >= MIN_CAUSE_SHARE * wall_ns)
    return tuple(sorted(large, key=lambda cause: -cause.wait_ns))


def is_cause(expected: ExpectedCause, cause: FoundCause) -> bool:
    """Return whether a cause is the expected one; a group may be named "program/thread".

    On a busy machine the expected thread may itself wait for a CPU most of the time.
    """
    kinds = {"thread": ("thread", "run_queue")}.get(expected.kind, (expected.kind,))
    if cause.kind not in kinds:
        return False
    return expected.name is None or cause.name.rpartition("/")[2] == expected.name


def cause_verdict(
    expected: ExpectedCause | None, causes: tuple[FoundCause, ...], *, look_alike: bool
) -> ProgramVerdict:
    """Return whether the expected cause is first, and for a look-alike that it is not."""
    if expected is None:
        return ProgramVerdict.RIGHT
    is_first = bool(causes) and is_cause(expected, causes[0])
    return ProgramVerdict.RIGHT if is_first is not look_alike else ProgramVerdict.WRONG


def share_verdict(shares: tuple[StateShare, ...], tolerance: float) -> ProgramVerdict:
    """Return whether all shares are within the tolerance; without an account they are."""
    if any(row.share is None for row in shares):
        return ProgramVerdict.WRONG
    difference = largest_difference(shares)
    within = difference is None or difference <= tolerance
    return ProgramVerdict.RIGHT if within else ProgramVerdict.WRONG
