"""The diagnosis of waits on the known programs: shares, sums, causes and owners.

Each program of `stallscope lab waits` runs several times. Its threads measure their own time by
state, so that the shares have a true value. On a busy host, run the programs longer.
"""

from collections.abc import Callable, Iterator

from benchmarks.cases import Case, ours
from harness.labs.waits.comparison import found_causes, is_cause, largest_difference, state_shares
from harness.labs.waits.measurement import diagnose_program
from harness.labs.waits.waiting_programs import RunAccount, WaitingProgram, waiting_programs
from harness.waits.result import ThreadWaits, WaitsResult
from stallscope.errors import StallscopeError

RUNS = 5
GRAPH_RUNS = 10
DURATION_S = 2.0
# Known answers (a) to (e) of the wait-for graph.
GRAPH_PROGRAMS = (
    "lock-holder-on-slow-disk",
    "idle-sleeper",
    "pipeline-slow-middle",
    "single-threaded-server",
    "lock-hog",
)
HOG = "lock-hog"
COMMAND = "stallscope waits"
Run = tuple[WaitsResult, RunAccount]


def run() -> list[Case]:
    """Measure every program."""
    cases: list[Case] = []
    for waiting in waiting_programs():
        runs = list(_runs(waiting))
        if runs:
            cases += _cases(waiting, runs)
            print(waiting.name, [f"{case.metric}: {case.ours}" for case in cases[-6:]], flush=True)
    return cases


def _runs(waiting: WaitingProgram) -> Iterator[Run]:
    """Yield the runs of a program that have a diagnosis."""
    for _ in range(GRAPH_RUNS if waiting.name in GRAPH_PROGRAMS else RUNS):
        try:
            yield diagnose_program(waiting, DURATION_S)
        except StallscopeError as error:
            print(waiting.name, error.message, flush=True)


def _cases(waiting: WaitingProgram, runs: list[Run]) -> list[Case]:
    cases: list[Case] = []
    if waiting.measures_states:
        differences = [largest_difference(state_shares(own, found)) for found, own in runs]
        points = tuple(100 * value for value in differences if value is not None)
        if points:
            cases.append(_case(waiting, "largest difference of a share, points", points, 3))
        unattributed = tuple(100 * _unattributed(found, own) for found, own in runs)
        cases.append(_case(waiting, "other and unknown, % of wall time", unattributed, 2))
    sums = tuple(100 * _largest(found, _sum_error) for found, _ in runs)
    cases.append(_case(waiting, "states against wall time of a thread, %", sums, 0.5))
    run_errors = tuple(100 * _largest(found, _run_error) for found, _ in runs)
    cases.append(_case(waiting, "run time against schedstat, %", run_errors, 0.5))
    queue_errors = tuple(100 * _largest(found, _queue_error) for found, _ in runs)
    cases.append(_case(waiting, "queue time against schedstat, % of wall time", queue_errors, 1))
    if waiting.first_cause is not None:
        expected = waiting.first_cause
        named = tuple(
            float(any(is_cause(expected, cause) for cause in found_causes(found, expected)[:1]))
            for found, _ in runs
        )
        cases.append(
            Case(
                name=waiting.name,
                metric="expected cause first, share of runs",
                ours_command=COMMAND,
                bar=(ours(at_least=1),) if waiting.name in GRAPH_PROGRAMS else (),
                ours=(sum(named) / len(named),),
                exact=True,
                notes=f"{int(sum(named))} of {len(named)} runs",
            )
        )
    if waiting.name == HOG:
        cases += _owner_cases(waiting, runs)
    return cases


def _case(waiting: WaitingProgram, metric: str, values: tuple[float, ...], at_most: float) -> Case:
    return Case(
        name=waiting.name,
        metric=metric,
        ours_command=COMMAND,
        bar=(ours(at_most=at_most),),
        ours=values,
    )


def _owner_cases(waiting: WaitingProgram, runs: list[Run]) -> Iterator[Case]:
    """Yield the share of the lock's wait time whose owner is the hog, and of runs with a stack."""
    named, stacks = [], []
    for found, _ in runs:
        lock = max(found.locks, key=lambda lock: lock.wait_ns, default=None)
        owner = lock.owner if lock else None
        is_hog = owner is not None and owner.name == "hog"
        named.append((owner.share or 0.0) if owner is not None and is_hog else 0.0)
        stacks.append(float(is_hog and owner is not None and bool(owner.stack)))
    for metric, values, bar in (
        ("owner named, share of wait time with an owner", named, 0.95),
        ("stack of the owner, share of runs", stacks, 0.9),
    ):
        yield Case(
            name=waiting.name,
            metric=metric,
            ours_command=COMMAND,
            bar=(ours(at_least=bar),),
            ours=tuple(values),
        )


def _unattributed(found: WaitsResult, own: RunAccount) -> float:
    """Return the share of other and unknown in the time of the program's threads."""
    tids = {thread.tid for thread in own.threads}
    threads = [thread for thread in found.threads if thread.tid in tids]
    time_ns = sum(
        thread.states_ns.get(state, 0) for thread in threads for state in ("other", "unknown")
    )
    return time_ns / max(1, sum(thread.wall_ns for thread in threads))


def _largest(found: WaitsResult, error: Callable[[ThreadWaits], float]) -> float:
    return max((error(thread) for thread in found.threads), default=0.0)


def _sum_error(thread: ThreadWaits) -> float:
    return abs(sum(thread.states_ns.values()) - thread.wall_ns) / max(1, thread.wall_ns)


def _run_error(thread: ThreadWaits) -> float:
    """Return the error of the run time; 0 for threads that run for less than 10 ms."""
    if thread.run_ns is None or thread.run_ns < 10_000_000:
        return 0.0
    running_ns = thread.states_ns.get("user", 0) + thread.states_ns.get("system", 0)
    return abs(running_ns - thread.run_ns) / thread.run_ns


def _queue_error(thread: ThreadWaits) -> float:
    """Return the error of the queue time; the kernel counts throttled time as queue time."""
    if thread.queue_ns is None:
        return 0.0
    queued_ns = sum(thread.states_ns.get(state, 0) for state in ("run_queue", "throttled"))
    return abs(queued_ns - thread.queue_ns) / max(1, thread.wall_ns)
