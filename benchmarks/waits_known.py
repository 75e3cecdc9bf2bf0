"""The diagnosis of waits on the known programs: shares, sums, causes and owners.

Each program of `stallscope lab waits` and its look-alike run several times. The threads measure
their own time by state, so that the shares have a true value. A run without a diagnosis counts as a
wrong one. On a busy host, run the programs longer. Takes about 20 minutes.

Run and queue times are compared with schedstat before the analysis makes them those of schedstat;
by how much it changes them is shown beside.
"""

from collections.abc import Callable, Iterator

from benchmarks.cases import Case, ours
from benchmarks.wait_accuracy import named_waits, schedstat_errors
from harness.labs.waits.comparison import (
    diagnosis_causes,
    is_cause,
    largest_difference,
    state_shares,
)
from harness.labs.waits.measurement import ProgramDiagnosis, diagnose_program, measure_program
from harness.labs.waits.result import ProgramVerdict
from harness.labs.waits.waiting_programs import RunAccount, WaitingProgram, waiting_programs
from harness.waits.result import LockWaits, ThreadWaits, WaitsResult
from stallscope.errors import StallscopeError

RUNS = 5
GRAPH_RUNS = 10
LOOK_ALIKE_RUNS = 5
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
OWNER = "hog"
FUTEX_KINDS, HOLDER = "futex-kinds", "holder"
MIN_WAIT_SHARE = 0.1  # of the longest: short locks have other owners, and a join has its thread
NEIGHBOUR = "busy-neighbour"
COMMAND = "stallscope waits"


def run() -> list[Case]:
    """Measure every program."""
    cases: list[Case] = []
    for waiting in waiting_programs():
        runs = list(_runs(waiting))
        if runs:
            of_program = _cases(waiting, runs)
            print(waiting.name, [f"{case.metric}: {case.ours}" for case in of_program], flush=True)
            cases += of_program
        if waiting.look_alike is not None:
            cases += _look_alike_cases(waiting)
    return cases


def _runs(waiting: WaitingProgram) -> Iterator[ProgramDiagnosis]:
    """Yield the runs of a program that have a diagnosis."""
    for _ in range(_planned(waiting)):
        try:
            yield diagnose_program(waiting, DURATION_S)
        except StallscopeError as error:
            print(waiting.name, error.message, flush=True)


def _planned(waiting: WaitingProgram) -> int:
    return GRAPH_RUNS if waiting.name in GRAPH_PROGRAMS else RUNS


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
    sums = tuple(100 * _largest(run.whole, _sum_error) for run in runs)
    cases.append(_case(name, "states against wall time of a thread, %", sums, 0.5))
    errors = [row for run in runs if (row := schedstat_errors(run.analysis)) is not None]
    for metric, bar, key in (
        ("run time of the records against schedstat, %", 0.5, "run"),
        ("queue time of the records against schedstat, % of wall time", 1, "queue"),
        ("change of run time by the analysis, %", None, "run_change"),
        ("change of queue time by the analysis, % of wall time", None, "queue_change"),
    ):
        values = tuple(100 * getattr(row, key) for row in errors)
        if values:
            cases.append(_case(name, metric, values, bar))
    if waiting.first_cause is not None:
        expected = waiting.first_cause
        named = sum(
            any(is_cause(expected, cause) for cause in diagnosis_causes(run.result, expected)[:1])
            for run in runs
        )
        metric = "expected cause first, share of runs"
        cases.append(_counted(name, metric, named, _planned(waiting), 1))
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
    owners = [lock.owner.name for run in runs for lock in _long_locks(run) if lock.owner]
    right = sum(owner == HOLDER for owner in owners)
    metric = "owners of locks named right, share of those named"
    return _counted(waiting.name, metric, right, max(1, len(owners)), 1)


def _long_locks(run: ProgramDiagnosis) -> list[LockWaits]:
    longest = max((lock.wait_ns for lock in run.result.locks), default=0)
    return [lock for lock in run.result.locks if lock.wait_ns >= MIN_WAIT_SHARE * longest]


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


def _case(name: str, metric: str, values: tuple[float, ...], at_most: float | None) -> Case:
    return Case(
        name=name,
        metric=metric,
        ours_command=COMMAND,
        bar=() if at_most is None else (ours(at_most=at_most),),
        ours=values,
    )


def _owner_cases(waiting: WaitingProgram, runs: list[ProgramDiagnosis]) -> Iterator[Case]:
    """Yield the share of lock waits over 1 ms whose owner is the hog, and of those with a stack."""
    shares = [row for run in runs if (row := named_waits(run.analysis, OWNER)) is not None]
    for metric, values, bar in (
        ("waits over 1 ms with the right owner, share", [row.right for row in shares], 0.95),
        ("waits over 1 ms with another owner, share", [row.wrong for row in shares], None),
        ("right owners with a stack, share", [row.with_stack for row in shares], 0.9),
    ):
        yield Case(
            name=waiting.name,
            metric=metric,
            ours_command=COMMAND,
            bar=() if bar is None else (ours(at_least=bar),),
            ours=tuple(values),
        )


def _unattributed(result: WaitsResult, own: RunAccount) -> float:
    """Return the share of other and unknown in the time of the program's threads."""
    tids = {thread.tid for thread in own.threads}
    threads = [thread for thread in result.threads if thread.tid in tids]
    time_ns = sum(
        thread.states_ns.get(state, 0) for thread in threads for state in ("other", "unknown")
    )
    return time_ns / max(1, sum(thread.wall_ns for thread in threads))


def _largest(result: WaitsResult, error: Callable[[ThreadWaits], float]) -> float:
    return max((error(thread) for thread in result.threads), default=0.0)


def _sum_error(thread: ThreadWaits) -> float:
    return abs(sum(thread.states_ns.values()) - thread.wall_ns) / max(1, thread.wall_ns)
