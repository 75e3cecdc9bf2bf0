"""What to change so that wake-ups cost less, in order of gain, or why nothing can be gained.

The gain of closing states is the difference of exit times. It counts as proven if the recording
timed wake-ups from both sides. Otherwise a declared latency replaces the missing time, which may
be far from real: the suggestion is then one to try, and its gain has an upper bound at most.
Measured wake-ups (`cstates latency`) take precedence over all estimates. States are named as in
the machine's own table.
"""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cstates.advice.evidence import WakeEvidence
from cstates.idle.run import IdleRun, RecordedState
from cstates.idle.states import POLL
from cstates.pinning.idle_plan import IGNORE_DISABLE
from cstates.wake_latency import WakeFinding
from stallscope.cpu_lists import format_cpu_list
from stallscope.statistics.intervals import NORMAL_95

MIN_TIMED = 30  # wake-ups for a mean with an interval
MIN_WAKES_PER_S = 1.0


@dataclass(frozen=True, slots=True)
class ExitTime:
    """The mean time to leave a state, with the half width of its 95 % interval."""

    mean_us: float
    half_us: float | None  # None: not measured
    source: str  # "measured" or "declared"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change of the open states, its gain and its costs."""

    open_states: tuple[str, ...]
    closed_states: tuple[str, ...]
    cpus: tuple[int, ...]  # including siblings
    gain_us: float  # per wake-up from a closed state
    min_us: float | None  # bounds of the 95 % interval; None if a latency is only declared
    max_us: float | None  # also an upper bound if only the closed states were timed
    us_per_s: float
    sources: str
    untimed: tuple[str, ...]  # states with declared exit times only, which prove no gain
    measured: tuple[str, ...]  # results of measured wake-ups
    costs: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """Return whether timed exits or measured wake-ups prove the gain."""
        return bool(self.measured) or not self.untimed


@dataclass(frozen=True, slots=True)
class Advice:
    """Suggestions, proven ones first, then by gain; or the reason for having none."""

    suggestions: tuple[Suggestion, ...]
    nothing: str | None
    notes: tuple[str, ...]


def advise(run: IdleRun, evidence: Sequence[WakeEvidence] = ()) -> Advice:
    """Return what to change on the machine of a recording.

    ``evidence`` is from wake-ups measured on the same machine. Suggestions that gained nothing
    there are dropped, with a note.
    """
    reason = _why_nothing(run)
    if reason is not None:
        return Advice((), reason, ())
    drafts = [_suggestion(run, depth, evidence) for depth in range(len(run.states) - 1)]
    suggestions = [suggestion for suggestion in drafts if suggestion is not None]
    plausible = [suggestion for suggestion in suggestions if not _disproved(suggestion, evidence)]
    notes = (*_disproofs(suggestions, evidence), *_notes(run))
    if plausible:
        plausible.sort(key=lambda suggestion: (not suggestion.proven, -suggestion.us_per_s))
        return Advice(tuple(plausible), None, notes)
    if suggestions:
        return Advice((), "nothing to gain: measured wake-ups were not faster", notes)
    return Advice(
        (),
        "nothing to gain: leaving the states that were entered takes no longer than leaving "
        "shallower ones, or too few wake-ups were timed to show it",
        notes,
    )


def _evidence_on(
    suggestion: Suggestion, evidence: Sequence[WakeEvidence]
) -> tuple[WakeEvidence, ...]:
    closed = set(suggestion.closed_states)
    return tuple(item for item in evidence if set(item.closed) == closed and item.conclusive)


def _disproved(suggestion: Suggestion, evidence: Sequence[WakeEvidence]) -> bool:
    findings = [item.finding for item in _evidence_on(suggestion, evidence)]
    return bool(findings) and WakeFinding.LESS not in findings


def _disproofs(suggestions: Sequence[Suggestion], evidence: Sequence[WakeEvidence]) -> list[str]:
    return [
        f"{', '.join(suggestion.closed_states)} closed, {item.test}: {item.text} (cstates latency)"
        for suggestion in suggestions
        if _disproved(suggestion, evidence)
        for item in _evidence_on(suggestion, evidence)
    ]


def _why_nothing(run: IdleRun) -> str | None:
    if run.never_idle:
        return "CPUs never idled, nothing to gain"
    if not run.states:
        return "nothing to gain: the kernel reports no sleep states, so none can be closed"
    if len(run.states) < 2:
        return "nothing to gain: there is no shallower state to stay in"
    if run.intervals is None and run.entries is None:
        return "no advice: the counters of the sleep states could not be read"
    entries = run.intervals or run.entries or 0
    if run.seconds and entries / run.seconds < MIN_WAKES_PER_S:
        return (
            f"nothing to gain: fewer than {MIN_WAKES_PER_S:g} wake-up per second "
            f"({entries:,} in {run.seconds:.0f} s)"
        )
    return None


def exit_time(run: IdleRun, states: Sequence[RecordedState]) -> ExitTime | None:
    """Return the mean exit time of these states' wake-ups, or the greatest declared latency.

    None if neither is known.
    """
    indices = {state.index for state in states}
    rows = [row for row in run.wakes if row.state in indices]
    timed = sum(row.timed for row in rows)
    if timed >= MIN_TIMED:
        mean = sum(row.awake_sum_ns for row in rows) / timed / 1000
        squares = sum(row.awake_squares_us2 for row in rows) / timed
        deviation = math.sqrt(max(0.0, squares - mean * mean))
        return ExitTime(mean, NORMAL_95 * deviation / math.sqrt(timed), "measured")
    declared = [state.exit_latency_us for state in states if state.exit_latency_us is not None]
    return ExitTime(float(max(declared)), None, "declared") if declared else None


def _suggestion(run: IdleRun, depth: int, evidence: Sequence[WakeEvidence]) -> Suggestion | None:
    """Return the suggestion to close all states deeper than ``depth``; None if it gains nothing."""
    kept, closed = run.states[: depth + 1], run.states[depth + 1 :]
    entered = [state for state in closed if _wakes(run, state)]
    if not entered or kept[-1].closed_by is not None:
        return None
    now, then = exit_time(run, entered), exit_time(run, [kept[-1]])
    if now is None or then is None:
        return None
    gain_us = now.mean_us - then.mean_us
    min_us, max_us = _gain_interval(now, then)
    if (gain_us if min_us is None else min_us) <= 0:
        return None
    wakes = sum(_wakes(run, state) for state in entered)
    cpus = _cpus(run)
    suggestion = Suggestion(
        open_states=tuple(state.name for state in kept),
        closed_states=tuple(state.name for state in closed),
        cpus=cpus,
        gain_us=gain_us,
        min_us=min_us,
        max_us=max_us,
        us_per_s=gain_us * wakes / run.seconds if run.seconds else 0.0,
        sources=f"{now.source} now, {then.source} then",
        untimed=(*_untimed(now, entered), *_untimed(then, [kept[-1]])),
        measured=(),
        costs=tuple(_costs(run, kept[-1], entered)),
        commands=tuple(_commands(run, kept, closed, cpus)),
    )
    gains = [
        f"{item.test}: {item.text}"
        for item in _evidence_on(suggestion, evidence)
        if item.finding is WakeFinding.LESS
    ]
    return replace(suggestion, measured=tuple(gains))


def _gain_interval(now: ExitTime, then: ExitTime) -> tuple[float | None, float | None]:
    """Return the bounds of the gain.

    If only the closed states were timed, the upper bound assumes that the shallower state is left
    in no time; there is no lower bound.
    """
    if now.half_us is None:
        return None, None
    if then.half_us is None:
        return None, now.mean_us + now.half_us
    gain, half = now.mean_us - then.mean_us, math.hypot(now.half_us, then.half_us)
    return gain - half, gain + half


def _untimed(time: ExitTime, states: Sequence[RecordedState]) -> tuple[str, ...]:
    return tuple(state.name for state in states) if time.half_us is None else ()


def _wakes(run: IdleRun, state: RecordedState) -> int:
    if run.why_counters_only is not None:
        return state.entries or 0
    return sum(row.wakes for row in run.wakes if row.state == state.index)


def _cpus(run: IdleRun) -> tuple[int, ...]:
    """Return the command's CPUs that idled, with siblings.

    The states of other CPUs stay open: closing them everywhere would cost turbo.
    """
    idled = {cpu for cpu, _ in run.lengths} or set(run.cpus)
    selected = idled & set(run.command_cpus) or idled
    siblings = {sibling for cpu in selected for sibling in run.siblings.get(cpu, (cpu,))}
    return tuple(sorted(siblings))


def _costs(run: IdleRun, kept: RecordedState, closed: Sequence[RecordedState]) -> list[str]:
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
    costs.append("CPUs that sleep less deeply leave less turbo to the other CPUs")
    if kept.name == POLL:
        costs.append("a polling CPU uses as much power as a busy one")
        if any(len(siblings) > 1 for siblings in run.siblings.values()):
            costs.append("a polling CPU takes execution resources from its SMT sibling")
    return costs


def _commands(
    run: IdleRun,
    kept: Sequence[RecordedState],
    closed: Sequence[RecordedState],
    cpus: Sequence[int],
) -> list[str]:
    cpu_list = format_cpu_list(cpus)
    names = ",".join(state.name for state in kept)
    forced = " --force-effective" if run.governor in IGNORE_DISABLE else ""
    commands = [f"stallscope pin --states {shlex.quote(names)} --cpus {cpu_list}{forced} -- CMD"]
    if not forced:
        commands += [f"cpupower -c {cpu_list} idle-set -d {state.index}" for state in closed]
    return commands


def _notes(run: IdleRun) -> list[str]:
    if run.governor not in IGNORE_DISABLE:
        return []
    problem = "ignores disabled states: cpupower idle-set would be accepted without effect"
    return [f"the governor {run.governor} {problem}"]
