"""Comparison of a diagnosis of waits with the program's own account.

The account has CPU time as one state, so user and system time are added. Threads with the same
name are compared together.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from harness.labs.waits.result import DiagnosisCause, ProgramVerdict, StateShare
from harness.labs.waits.waiting_programs import ExpectedCause, RunAccount
from harness.waits.result import WaitsResult

TOLERANCE = 0.03  # of the wall time of the threads with the same name
MIN_CAUSE_SHARE = 0.05  # of the wall time of all threads
RUNNING = "running"
REST = "rest"
STOLEN = "stolen"
_RUNNING_STATES = ("user", "system")
SPINNING = "spinning"
CPU_KINDS = ("cpu", "throttle", "steal")


def state_shares(account: RunAccount, result: WaitsResult) -> tuple[StateShare, ...]:
    """Return the shares of each state by thread name, expected and found.

    The expected rest (time that the program cannot explain) is compared with nothing.
    """
    expected = _shares((thread.name, thread.states_ns) for thread in account.threads)
    tids = {thread.tid: thread.name for thread in account.threads}
    recorded = _shares(
        (tids[thread.tid], _with_running(thread.states_ns))
        for thread in result.threads
        if thread.tid in tids
    )
    rows: list[StateShare] = []
    for name, states in expected.items():
        own = recorded.get(name, {})
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


def diagnosis_causes(
    result: WaitsResult, expected: ExpectedCause | None
) -> tuple[DiagnosisCause, ...]:
    """Return the causes of a diagnosis, in order of cost.

    Other processes may use the CPUs of a busy machine, so causes of time in which threads could run
    count only if one of them is expected. Causes of less than 5 % of the wall time of all threads
    are left out: a program without a fault has some first cause as well.
    """
    with_cpu = expected is not None and expected.kind in CPU_KINDS
    wall_ns = sum(thread.wall_ns for thread in result.threads)
    return tuple(
        DiagnosisCause(kind=cause.kind, name=cause.name, wait_ns=cause.wait_ns)
        for cause in sorted(result.causes, key=lambda cause: -cause.wait_ns)
        if cause.wait_ns >= MIN_CAUSE_SHARE * wall_ns and (with_cpu or cause.kind not in CPU_KINDS)
    )


def is_cause(expected: ExpectedCause, cause: DiagnosisCause) -> bool:
    """Return whether a cause is the expected one.

    A group may be named "program/thread", and a process "program in /cgroup".

    On a busy machine the expected thread may itself wait for a CPU most of the time.
    """
    kinds = {"thread": ("thread", "run_queue")}.get(expected.kind, (expected.kind,))
    if cause.kind not in kinds:
        return False
    return expected.name is None or expected.name in (
        cause.name.partition(" in /")[0],
        cause.name.rpartition("/")[2],
    )


def cause_verdict(
    expected: ExpectedCause | None, causes: tuple[DiagnosisCause, ...], *, look_alike: bool
) -> ProgramVerdict:
    """Return whether the expected cause is first, and for a look-alike that it is not."""
    if expected is None:
        return ProgramVerdict.RIGHT
    is_first = bool(causes) and is_cause(expected, causes[0])
    return ProgramVerdict.RIGHT if is_first is not look_alike else ProgramVerdict.WRONG


def signs_of(result: WaitsResult) -> tuple[str, ...]:
    """Return the signs of the locks without their numbers, and "spinning"."""
    signs = {sign.partition(":")[0]: None for lock in result.locks for sign in lock.signs}
    return (*signs, SPINNING) if result.spinning else tuple(signs)


def sign_verdict(
    expected: str | None, signs: tuple[str, ...], *, look_alike: bool
) -> ProgramVerdict:
    """Return whether the expected sign was found, and for a look-alike that it was not."""
    if expected is None or (expected in signs) is not look_alike:
        return ProgramVerdict.RIGHT
    return ProgramVerdict.WRONG


def share_verdict(shares: tuple[StateShare, ...], tolerance: float) -> ProgramVerdict:
    """Return whether all shares are within the tolerance; without an account they are."""
    if any(row.share is None for row in shares):
        return ProgramVerdict.WRONG
    difference = largest_difference(shares)
    within = difference is None or difference <= tolerance
    return ProgramVerdict.RIGHT if within else ProgramVerdict.WRONG
