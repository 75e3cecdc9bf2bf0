"""A command run with this machine pinned: claim, plan, journal, apply, run, verify, restore."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from cstates.held_limit import held_limit
from cstates.pinning.applying import apply
from cstates.pinning.claims import (
    Claim,
    claim,
    end_deeper,
    run_folder,
    settle_deeper,
)
from cstates.pinning.command import Ended, asked_to_end, run_command, signals_held
from cstates.pinning.effects import (
    Effect,
    Finding,
    entries_by_name,
    grown,
    judge,
    probe,
    read_entries,
)
from cstates.pinning.guardian import start_pin_guardian
from cstates.pinning.journal import new_journal, write_journal
from cstates.pinning.kernel_files import place_of
from cstates.pinning.knobs import Change, Scope
from cstates.pinning.plan import Plan, make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import Outcome, Restored, foreign_changes, put_back
from cstates.pinning.watching import FrequencyWatch, read_throttled, read_work, throttling
from stallscope.errors import UnableError
from stallscope.guardian import Guardian
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class Place:
    """The machine to pin, where its journals are, and the name others are refused with."""

    roots: Roots
    run_folder: Path
    name: str = "stallscope pin"


@dataclass(frozen=True, slots=True)
class Listener:
    """Whom a run tells: the plan before it begins, and what is to be said meanwhile."""

    plan: Callable[[Plan], None]
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a pinned run."""

    ended: Ended
    entries: dict[str, int]  # into each state while it ran, of the pinned CPUs; unknown is absent
    busy_s: float | None  # CPU seconds that the pinned CPUs worked meanwhile, be it for whom
    plan: Plan
    probed: Finding  # before the command
    during: Finding  # while it ran
    foreign: tuple[Outcome, ...]  # what somebody else had set at its end
    disturbances: tuple[str, ...]
    restored: Restored

    @property
    def status(self) -> int:
        """Return the command's status."""
        return self.ended.status


@dataclass(slots=True)
class _Pinned:
    """A pin that holds; ``restored`` is there once it no longer does."""

    told: int | None = None
    made: tuple[Change, ...] = ()
    restored: Restored = field(default_factory=Restored)


def run_pinned(
    place: Place, request: PinRequest, command: Sequence[str], *, allow_partial: bool, to: Listener
) -> RunResult:
    """Return what came of running the command pinned, after all was put back.

    Raises UnableError where the pin cannot be, with nothing changed; TargetError where the command
    cannot start. With ``force_effective``, a pin that the counters show without effect is put back,
    and another way is tried once.
    """
    with signals_held():
        wanted = _allowed(place, request, allow_partial=allow_partial)
        with _claimed(place, request, needed=bool(wanted.journaled)) as ours:
            for restored in ours.recovered if ours else ():
                to.say(_recovered(restored))
            # Planned only now: what was left over has been put back, and nobody else pins.
            for asked in (request, replace(request, distrust_disable=True)):
                plan = _allowed(place, asked, allow_partial=allow_partial)
                to.plan(plan)
                last = asked.distrust_disable or not request.force_effective
                attempt = _Attempt(plan, command, last)
                result = _pin_and_run(place.roots, attempt, ours, to)
                if result is not None:
                    return result
            raise AssertionError("the last attempt always has a result")


@contextmanager
def _claimed(place: Place, request: PinRequest, *, needed: bool) -> Iterator[Claim | None]:
    """Yield a claim; None where only the process is asked about, or none can be had nor is needed.

    What is as asked already is claimed too: it may be another pin's, and end with that.
    """
    with ExitStack() as stack:
        folder = None
        if request.of_machine:
            try:
                folder = stack.enter_context(run_folder(place.run_folder, place.roots))
            except UnableError:
                if needed:
                    raise
        if folder is None:
            yield None
        else:
            yield stack.enter_context(claim(folder, place.roots, place.name))


def _recovered(restored: Restored) -> str:
    if restored.other_boot:
        return "a journal of another boot was discarded: its settings ended with that boot"
    return f"a pin that was killed was put back first: {len(restored.outcomes)} settings"


def _allowed(place: Place, request: PinRequest, *, allow_partial: bool) -> Plan:
    """Return the plan, or with ``allow_partial`` its part that this user may carry out."""
    plan = make_plan(place.roots, request)
    closed = obstacles(place.roots, plan)
    if not closed:
        return plan
    rest = plan.without(frozenset(closed))
    able = ", ".join(each.knob for each in rest.changes) or "nothing of it"
    why = "; ".join(dict.fromkeys(closed.values()))
    if not allow_partial:
        first = "run as root" if os.geteuid() else "run where it can be written, as on the host"
        raise UnableError(
            f"{why}; what this user can do of it: {able}",
            f"{first}, or add --allow-partial to do only that",
        )
    told = f"{why}; only this is done: {able}"
    return replace(rest, partial=True, warnings_of_command=(*rest.warnings_of_command, told))


def obstacles(roots: Roots, plan: Plan) -> dict[Scope, str]:
    """Return why this user may not write what a scope needs, by scope; empty where all is open."""
    found: dict[Scope, str] = {}
    for change in (*plan.journaled, *((plan.held_change,) if plan.held_change else ())):
        place = place_of(roots, change.path)
        if change.scope in found or not place.exists():
            continue
        if not os.access(place, os.W_OK, effective_ids=True):
            found[change.scope] = _why_closed(place, change.path)
    return found


def _why_closed(place: Path, path: str) -> str:
    with suppress(OSError):
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            return f"{path} is on a file system that is mounted read-only, as in a container"
    return f"{path} can be written by root only"


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One way to pin; the last is run whatever the counters show."""

    plan: Plan
    command: Sequence[str]
    last: bool


def _pin_and_run(
    roots: Roots, attempt: _Attempt, ours: Claim | None, to: Listener
) -> RunResult | None:
    """Return what came of it; None, with all put back, where it did nothing and is not the last."""
    plan = attempt.plan
    with _pinned(roots, plan, ours, to.say) as pinned:
        probed = probe(roots, plan.closed)
        if probed.effect is Effect.WITHOUT_EFFECT:
            to.say(_without_effect(probed))
            if not attempt.last:
                return None
        entered = read_entries(roots, plan.closed)
        throttled = read_throttled(roots, plan.targets.command)
        khz = pinned_khz(plan)
        watch = FrequencyWatch(roots, plan.targets.command, khz) if khz else None
        number = asked_to_end()
        look = watch.look if watch else None
        before = entries_by_name(roots, plan.targets.capped)
        began = read_work(roots, plan.targets.capped)
        ended = (
            Ended(128 + number)
            if number
            else run_command(attempt.command, plan.process, pinned.told, look)
        )
        done = read_work(roots, plan.targets.capped)
        after = entries_by_name(roots, plan.targets.capped)
        left = read_entries(roots, plan.closed)
        during = judge(entered, left, plan.closed, live=roots.is_live)
        disturbed = throttling(throttled, read_throttled(roots, plan.targets.command))
        foreign = foreign_changes(roots, pinned.made)
    return RunResult(
        ended=ended,
        entries=grown(before, after),
        busy_s=done.busy_since(began) if began and done else None,
        plan=plan,
        probed=probed,
        during=during,
        foreign=foreign,
        disturbances=(*disturbed, *(watch.drift() if watch else ())),
        restored=pinned.restored,
    )


def _without_effect(finding: Finding) -> str:
    names = ", ".join(sorted({each.name for each in finding.where}))
    return (
        f"{finding.effect}: {finding.entries} entries into {names} although closed; "
        "--force-effective takes another way"
    )


def pinned_khz(plan: Plan) -> int | None:
    """Return the frequency that a plan pins; None where it pins none, or several."""
    limits = ("min-frequency", "max-frequency")
    wanted = {each.new for each in plan.journaled if each.knob in limits}
    only = wanted.pop() if len(wanted) == 1 else None
    return int(only) if only else None


@contextmanager
def _pinned(
    roots: Roots, plan: Plan, ours: Claim | None, say: Callable[[str], None]
) -> Iterator[_Pinned]:
    """Yield while the plan's descriptor and files hold; afterwards these are as before."""
    pinned = _Pinned()
    guardian: Guardian | None = None
    with held_limit(roots, plan.held_us):
        try:
            if ours is not None and plan.journaled:
                guardian = start_pin_guardian(ours, roots)
                pinned.told = guardian.pipe
                journal = new_journal(roots, ours.owner, plan.journaled)
                guardian.wait_ready()
                write_journal(ours.folder, ours.level, journal)
                applied = apply(roots, plan.journaled)
                pinned.made = applied.made
                for note in applied.notes:
                    say(note)
            yield pinned
        finally:
            if ours is not None and plan.journaled:
                end_deeper(ours.folder, ours.level)
                with suppress(UnableError):  # it would not end: then ours is put back around it
                    settle_deeper(ours.folder, roots, ours.level)
                pinned.restored = put_back(roots, ours.folder, ours.level) or Restored()
            if guardian is not None:
                guardian.dismiss()
