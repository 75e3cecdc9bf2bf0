"""What to change so that wake-ups cost less, in order of gain; "nothing to gain" is advice too.

The gain of closing states is the difference of exit times. It is shown where the run timed wake-ups
from both; else a declared latency stands in, which may be far from real, and the suggestion is but
something to try: its gain has an upper bound at most. Measured wake-ups (`cstates latency`) go
before all estimates. States are named as the machine's own table does; no time and no index is
built in.
"""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cstates.advice.evidence import Evidence
from cstates.idle.run import IdleRun, RunState
from cstates.idle.states import POLL
from cstates.pinning.idle_plan import PASS_OVER_DISABLE
from cstates.wake_latency import Found
from stallscope.cpu_lists import format_cpu_list
from stallscope.statistics.intervals import NORMAL_95

LEAST_TIMED = 30  # wake-ups for a mean with an interval
LEAST_WAKES_PER_S = 1.0


@dataclass(frozen=True, slots=True)
class ExitTime:
    """The mean time to leave a state, with the half width of its 95 % interval."""

    mean_us: float
    half_us: float | None  # None: not measured
    source: str  # "measured" or "declared"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One thing to change."""

    open_states: tuple[str, ...]
    closed_states: tuple[str, ...]
    cpus: tuple[int, ...]  # with their siblings
    gain_us: float  # of each wake-up from a closed state
    least_us: float | None  # the 95 % interval; None where a latency is only declared
    most_us: float | None  # a bound, too, where only the closed states were timed
    us_per_s: float
    sources: str
    untimed: tuple[str, ...]  # states whose exit is only declared, so that the gain is not shown
    measured: tuple[str, ...]  # what measured wake-ups showed
    costs: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def shown(self) -> bool:
        """Return whether it is shown to gain, by what was timed or by measured wake-ups."""
        return bool(self.measured) or not self.untimed


@dataclass(frozen=True, slots=True)
class Advice:
    """Suggestions, those shown first, the greatest gain first; or why nothing is to be gained."""

    suggestions: tuple[Suggestion, ...]
    nothing: str | None
    notes: tuple[str, ...]


def advise(run: IdleRun, evidence: Sequence[Evidence] = ()) -> Advice:
    """Return what to change on the machine a run was recorded on, if anything.

    ``evidence`` is of wake-ups measured on the same machine: what gained nothing there is no
    advice, and is told.
    """
    why = _nothing(run)
    if why is not None:
        return Advice((), why, ())
    found = [_suggestion(run, place, evidence) for place in range(len(run.states) - 1)]
    worth = [each for each in found if each is not None]
    kept = [each for each in worth if not _disproved(each, evidence)]
    notes = (*_disproofs(worth, evidence), *_notes(run))
    if kept:
        kept.sort(key=lambda each: (not each.shown, -each.us_per_s))
        return Advice(tuple(kept), None, notes)
    if worth:
        return Advice((), "nothing to gain: measured wake-ups were not faster", notes)
    return Advice(
        (),
        "nothing to gain: leaving the states that were entered takes no longer than leaving "
        "shallower ones, or too few wake-ups were timed to show it",
        notes,
    )


def _verdicts_on(each: Suggestion, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    closed = set(each.closed_states)
    return tuple(one for one in evidence if set(one.closed) == closed and one.says_something)


def _disproved(each: Suggestion, evidence: Sequence[Evidence]) -> bool:
    verdicts = _verdicts_on(each, evidence)
    return bool(verdicts) and not any(one.finding is Found.LESS for one in verdicts)


def _disproofs(worth: Sequence[Suggestion], evidence: Sequence[Evidence]) -> list[str]:
    return [
        f"{', '.join(each.closed_states)} closed, {one.test}: {one.text} (cstates latency)"
        for each in worth
        if _disproved(each, evidence)
        for one in _verdicts_on(each, evidence)
    ]


def _nothing(run: IdleRun) -> str | None:
    if run.never_idle:
        return "CPUs never idled, nothing to gain"
    if not run.states:
        return "nothing to gain: the kernel tells of no sleep states, so none can be closed"
    if len(run.states) < 2:
        return "nothing to gain: there is no shallower state to stay in"
    if run.intervals is None and run.entries is None:
        return "nothing can be advised: the counters of the sleep states could not be read"
    entries = run.intervals or run.entries or 0
    if run.seconds and entries / run.seconds < LEAST_WAKES_PER_S:
        return (
            f"nothing to gain: fewer than {LEAST_WAKES_PER_S:g} wake-up a second "
            f"({entries:,} in {run.seconds:.0f} s)"
        )
    return None


def exit_time(run: IdleRun, states: Sequence[RunState]) -> ExitTime | None:
    """Return the mean exit of wake-ups from these states; declared of the first if not measured.

    None where neither is known.
    """
    indices = {state.index for state in states}
    rows = [row for row in run.wakes if row.state in indices]
    timed = sum(row.timed for row in rows)
    if timed >= LEAST_TIMED:
        mean = sum(row.awake_sum_ns for row in rows) / timed / 1000
        squares = sum(row.awake_squares_us2 for row in rows) / timed
        spread = math.sqrt(max(0.0, squares - mean * mean))
        return ExitTime(mean, NORMAL_95 * spread / math.sqrt(timed), "measured")
    declared = [state.exit_latency_us for state in states]
    known = [each for each in declared if each is not None]
    return ExitTime(float(max(known)), None, "declared") if known else None


def _suggestion(run: IdleRun, place: int, evidence: Sequence[Evidence]) -> Suggestion | None:
    """Return the suggestion to close all states deeper than one; None where it gains nothing."""
    kept, closed = run.states[: place + 1], run.states[place + 1 :]
    entered = [state for state in closed if _wakes(run, state)]
    if not entered or kept[-1].closed_by is not None:
        return None
    now, then = exit_time(run, entered), exit_time(run, [kept[-1]])
    if now is None or then is None:
        return None
    gain = now.mean_us - then.mean_us
    least, most = _interval(now, then)
    if (gain if least is None else least) <= 0:
        return None
    wakes = sum(_wakes(run, state) for state in entered)
    cpus = _cpus(run)
    untimed = (*_untimed(now, entered), *_untimed(then, [kept[-1]]))
    made = Suggestion(
        open_states=tuple(state.name for state in kept),
        closed_states=tuple(state.name for state in closed),
        cpus=cpus,
        gain_us=gain,
        least_us=least,
        most_us=most,
        us_per_s=gain * wakes / run.seconds if run.seconds else 0.0,
        sources=f"{now.source} now, {then.source} then",
        untimed=untimed,
        measured=(),
        costs=tuple(_costs(run, kept[-1], entered)),
        commands=tuple(_commands(run, kept, closed, cpus)),
    )
    gained = (one for one in _verdicts_on(made, evidence) if one.finding is Found.LESS)
    return replace(made, measured=tuple(f"{one.test}: {one.text}" for one in gained))


def _interval(now: ExitTime, then: ExitTime) -> tuple[float | None, float | None]:
    """Return the gain's least and most.

    Where only the closed states were timed, leaving another state takes no time at best, whatever
    is declared: that bounds the gain, and nothing does from below.
    """
    if now.half_us is None:
        return None, None
    if then.half_us is None:
        return None, now.mean_us + now.half_us
    gain, half = now.mean_us - then.mean_us, math.hypot(now.half_us, then.half_us)
    return gain - half, gain + half


def _untimed(found: ExitTime, states: Sequence[RunState]) -> tuple[str, ...]:
    return tuple(state.name for state in states) if found.half_us is None else ()


def _wakes(run: IdleRun, state: RunState) -> int:
    if run.why_counters_only is not None:
        return state.entries or 0
    return sum(row.wakes for row in run.wakes if row.state == state.index)


def _cpus(run: IdleRun) -> tuple[int, ...]:
    """Return the command's CPUs that idled, with siblings: capping all costs the others turbo."""
    idled = {cpu for cpu, _ in run.lengths} or set(run.cpus)
    wanted = idled & set(run.command_cpus) or idled
    return tuple(sorted({each for cpu in wanted for each in run.siblings.get(cpu, (cpu,))}))


def _costs(run: IdleRun, kept: RunState, closed: Sequence[RunState]) -> list[str]:
    slept_ns = 0.0
    for state in closed:
        lengths = run.lengths_of(state.index)
        slept_ns += (lengths.mean() or 0.0) * lengths.total if lengths else 0.0
    costs = []
    if slept_ns and run.seconds:
        share = slept_ns / 1e9 / run.seconds / max(1, len(run.cpus))
        costs.append(
            f"{share * 100:.1f} % of CPU time is then spent in {kept.name} instead of "
            f"{', '.join(state.name for state in closed)}: more power and heat"
        )
    costs.append("where there is turbo, CPUs that sleep less deeply leave less to their neighbours")
    if kept.name == POLL:
        costs.append("a polling CPU takes as much power as at work")
        if any(len(siblings) > 1 for siblings in run.siblings.values()):
            costs.append("a polling CPU takes execution from its SMT sibling")
    return costs


def _commands(
    run: IdleRun,
    kept: Sequence[RunState],
    closed: Sequence[RunState],
    cpus: Sequence[int],
) -> list[str]:
    listed = format_cpu_list(cpus)
    names = ",".join(state.name for state in kept)
    forced = " --force-effective" if run.governor in PASS_OVER_DISABLE else ""
    commands = [f"stallscope pin --states {shlex.quote(names)} --cpus {listed}{forced} -- CMD"]
    if not forced:
        commands += [f"cpupower -c {listed} idle-set -d {state.index}" for state in closed]
    return commands


def _notes(run: IdleRun) -> list[str]:
    if run.governor in PASS_OVER_DISABLE:
        text = "passes over closed states: cpupower idle-set would read back as set, without effect"
        return [f"the governor {run.governor} {text}"]
    return []
