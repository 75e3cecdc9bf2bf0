"""The diagnosis of waits on the known programs: shares, sums, causes and owners.

Each program of `stallscope lab waits` and its look-alike run several times. The threads measure
their own time by state, so that the shares have a true value. On a busy host, run the programs
longer. Takes about 8 minutes.
"""

from collections.abc import Callable, Iterator

from benchmarks.cases import Case, ours
from harness.labs.waits.comparison import (
    diagnosis_causes,
    is_cause,
    largest_difference,
    state_shares,
)
from harness.labs.waits.measurement import ProgramDiagnosis, diagnose_program, measure_program
from harness.labs.waits.result import ProgramVerdict
from harness.labs.waits.waiting_programs import RunAccount, WaitingProgram, waiting_programs
from harness.waits.result import ThreadWaits, WaitsResult
from stallscope.errors import StallscopeError

RUNS = 3
GRAPH_RUNS = 10
LOOK_ALIKE_RUNS = 1
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
FUTEX_KINDS, HOLDER = "futex-kinds", "holder"
NEIGHBOUR = "busy-neighbour"
COMMAND = "stallscope waits"


def run() -> list[Case]:
    """Measure every program."""
    cases: list[Case] = []
    for waiting in waiting_programs():
        runs = list(_runs(waiting))
        if runs:
            cases += _cases(waiting, runs)
            print(waiting.name, [f"{case.metric}: {case.ours}" for case in cases[-6:]], flush=True)
        if waiting.look_alike is not None:
            cases += _look_alike_cases(waiting)
    return cases


def _runs(waiting: WaitingProgram) -> Iterator[ProgramDiagnosis]:
    """Yield the runs of a program that have a diagnosis."""
    for _ in range(GRAPH_RUNS if waiting.name in GRAPH_PROGRAMS else RUNS):
        try:
            yield diagnose_program(waiting, DURATION_S)
        except StallscopeError as error:
            print(waiting.name, error.message, flush=True)


def _look_alike_cases(waiting: WaitingProgram) -> Iterator[Case]:
    """Yield whether the cause of a program does not come first for its look-alike, and shares."""
    rows = [measure_program(waiting, DURATION_S, look_alike=True) for _ in range(LOOK_ALIKE_RUNS)]
    name = f"{waiting.name}, look-alike"
    points = tuple(
        100 * row.largest_difference for row in rows if row.largest_difference is not None
    )
    if points:
        yield _case(name, "largest difference of a share, points", points, 3)
    right = sum(row.cause_verdict is ProgramVerdict.RIGHT for row in rows)
    yield _counted(name, "cause of the program not first, share of runs", right, len(rows), 1)


def _cases(waiting: WaitingProgram, runs: list[ProgramDiagnosis]) -> list[Case]:
    cases: list[Case] = []
    name = waiting.name
    if waiting.measures_states:
        differences = [largest_difference(state_shares(run.account, run.result)) for run in runs]
        points = tuple(100 * value for value in differences if value is not None)
        if points:
            cases.append(_case(name, "largest difference of a share, points", points, 3))
        unattributed = tuple(100 * _unattributed(run.result, run.account) for run in runs)
        cases.append(_case(name, "other and unknown, % of wall time", unattributed, 2))
    for metric, error, bar in (
        ("states against wall time of a thread, %", _sum_error, 0.5),
        ("run time against schedstat, %", _run_error, 0.5),
        ("queue time against schedstat, % of wall time", _queue_error, 1),
    ):
        errors = tuple(100 * _largest(run.whole, error) for run in runs)
        cases.append(_case(name, metric, errors, bar))
    if waiting.first_cause is not None:
        expected = waiting.first_cause
        named = sum(
            any(is_cause(expected, cause) for cause in diagnosis_causes(run.result, expected)[:1])
            for run in runs
        )
        least = 1 if waiting.name in GRAPH_PROGRAMS else None
        metric = "expected cause first, share of runs"
        cases.append(_counted(name, metric, named, len(runs), least))
    if waiting.name == HOG:
        cases += _owner_cases(waiting, runs)
    if waiting.name == FUTEX_KINDS:
        cases.append(_named_owners(waiting, runs))
    if waiting.name == NEIGHBOUR:
        points = tuple(100 * abs(_neighbour_share(run) - _true_share(run)) for run in runs)
        cases.append(_case(name, "share of the run queue, difference in points", points, 5))
    return cases


def _counted(name: str, metric: str, number: int, runs: int, at_least: float | None) -> Case:
    return Case(
        name=name,
        metric=metric,
        ours_command=COMMAND,
        bar=() if at_least is None else (ours(at_least=at_least),),
        ours=(number / runs,),
        exact=True,
        notes=f"{number} of {runs} runs",
    )


def _named_owners(waiting: WaitingProgram, runs: list[ProgramDiagnosis]) -> Case:
    """Return the share of named owners of locks that are the thread that holds all of them."""
    owners = [lock.owner.name for run in runs for lock in run.result.locks if lock.owner]
    right = sum(owner == HOLDER for owner in owners)
    metric = "owners of locks named right, share of those named"
    return _counted(waiting.name, metric, right, max(1, len(owners)), 1)


def _neighbour_share(run: ProgramDiagnosis) -> float:
    """Return the neighbour's share of the time that the program was in the run queue."""
    users = run.result.run_queue
    own = sum(user.time_ns for user in users if user.name == "neighbour")
    return own / max(1, sum(user.time_ns for user in users))


def _true_share(run: ProgramDiagnosis) -> float:
    """Return the neighbour's share of the CPU while the program did not run, by CPU clocks."""
    running_ns = sum(thread.states_ns.get("running", 0) for thread in run.whole_account.threads)
    others_ns = run.whole_account.elapsed_ns - running_ns
    cpu_ns = (run.whole_account.account or {}).get("neighbour_cpu_ns", 0)
    return min(1.0, float(cpu_ns) / max(1, others_ns))


def _case(name: str, metric: str, values: tuple[float, ...], at_most: float) -> Case:
    return Case(
        name=name,
        metric=metric,
        ours_command=COMMAND,
        bar=(ours(at_most=at_most),),
        ours=values,
    )


def _owner_cases(waiting: WaitingProgram, runs: list[ProgramDiagnosis]) -> Iterator[Case]:
    """Yield the share of the lock's wait time whose owner is the hog, and of runs with a stack."""
    named, stacks = [], []
    for run in runs:
        lock = max(run.result.locks, key=lambda lock: lock.wait_ns, default=None)
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
    if thread.run_ns is None or thread.measured_run_ns is None or thread.run_ns < 10_000_000:
        return 0.0
    return abs(thread.measured_run_ns - thread.run_ns) / thread.run_ns


def _queue_error(thread: ThreadWaits) -> float:
    """Return the error of the queue time; the kernel counts throttled time as queue time."""
    if thread.queue_ns is None or thread.measured_queue_ns is None:
        return 0.0
    return abs(thread.measured_queue_ns - thread.queue_ns) / max(1, thread.wall_ns)
