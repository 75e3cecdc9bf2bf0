"""Diagnoses and accounts of waits with invented numbers."""

from harness.labs.waits.waiting_programs import (
    ExpectedCause,
    RunAccount,
    ThreadAccount,
    WaitingProgram,
)
from harness.waits.result import ThreadWaits, WaitCause, WaitsResult

HOG = WaitingProgram(
    "lock-hog",
    "waiting: lock",
    first_cause=ExpectedCause("thread", "hog"),
    look_alike="compute before taking the mutex",
    measures_states=True,
)


def thread(tid: int, name: str, **states_ns: int) -> ThreadWaits:
    return ThreadWaits(
        tid=tid,
        name=name,
        states_ns=states_ns,
        pid=1,
        process="hog",
        group=name,
        wall_ns=sum(states_ns.values()),
        run_ns=None,
        queue_ns=None,
    )


def account(**states_ns: int) -> RunAccount:
    """The account of one victim with tid 2."""
    wall_ns = sum(states_ns.values())
    return RunAccount(wall_ns, (ThreadAccount(2, "victim", wall_ns, states_ns),))


def diagnosis(*threads: ThreadWaits, causes: tuple[tuple[str, str], ...] = ()) -> WaitsResult:
    return WaitsResult(
        title="lock-hog",
        wall_ns=100,
        threads=threads,
        groups=(),
        locks=(),
        causes=tuple(
            WaitCause(kind=kind, name=name, wait_ns=10, chain=()) for kind, name in causes
        ),
        idle_pools=(),
        run_queue=(),
        timeline=None,
        unattributed_share=None,
        sources=(),
        missing=(),
        warnings=(),
        recording="run",
        report=None,
    )
