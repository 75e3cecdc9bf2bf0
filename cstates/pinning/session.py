"""Runs a command with the machine pinned: claim, plan, journal, apply, run, verify, restore."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from cstates.latency_limit import held_limit
from cstates.pinning.applying import AppliedChanges, RejectedChangeError, apply
from cstates.pinning.claims import (
    PinClaim,
    claim_level,
    end_deeper,
    restore_deeper,
    run_folder,
)
from cstates.pinning.command import CommandExit, pending_end_signal, run_command, signals_held
from cstates.pinning.effects import (
    Effect,
    EffectCheck,
    check_effect,
    entries_by_name,
    increases,
    probe_effect,
    read_entries,
)
from cstates.pinning.guardian import start_pin_guardian
from cstates.pinning.journal import PinJournal, new_journal, read_journal, write_journal
from cstates.pinning.kernel_files import host_path, is_restorable
from cstates.pinning.knobs import Scope, SettingChange
from cstates.pinning.plan import PinPlan, make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import (
    JournalRestore,
    RestoredSetting,
    foreign_changes,
    restore_journal,
)
from cstates.pinning.watching import (
    FrequencyWatch,
    read_cpu_clock,
    read_throttled,
    throttling,
)
from stallscope.errors import StallscopeError, UnableError
from stallscope.guardian import Guardian
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class PinContext:
    """The machine to pin, the folder of its journals, and the name that rejected pins print."""

    roots: Roots
    run_folder: Path
    name: str = "stallscope pin"


@dataclass(frozen=True, slots=True)
class PinListener:
    """Callbacks of a run: for the plan before it begins, and for messages meanwhile."""

    on_plan: Callable[[PinPlan], None]
    on_message: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PinnedRun:
    """The result of a pinned run."""

    exit: CommandExit
    entries: dict[str, int]  # by state, during the run, on the capped CPUs; unknown ones are absent
    busy_s: float | None  # CPU seconds of all programs on the capped CPUs during the run
    plan: PinPlan
    probed: EffectCheck  # before the command
    during: EffectCheck  # while it ran
    foreign: tuple[RestoredSetting, ...]  # settings of other programs at its end
    disturbances: tuple[str, ...]
    restored: JournalRestore

    @property
    def status(self) -> int:
        """Return the command's status."""
        return self.exit.status


@dataclass(slots=True)
class _ActivePin:
    """A pin that holds; ``restored`` is set after it ended."""

    guardian_pipe: int | None = None
    made: tuple[SettingChange, ...] = ()
    restored: JournalRestore = field(default_factory=JournalRestore)


def run_pinned(
    context: PinContext,
    request: PinRequest,
    command: Sequence[str],
    *,
    allow_partial: bool,
    listener: PinListener,
) -> PinnedRun:
    """Return the result of running the command pinned, after all settings were restored.

    Raises UnableError, without any change, if the pin is not possible; TargetError if the command
    cannot start. With ``force_effective``, a pin that has no effect by the counters is restored,
    and another mechanism is tried once.
    """
    with signals_held():
        first_plan = _permitted_plan(context, request, allow_partial=allow_partial)
        with _claimed(context, request, needed=bool(first_plan.journaled)) as claim:
            for restored in claim.recovered if claim else ():
                listener.on_message(_recovery_message(restored))
            # Plan again: left-over settings were restored, and no other pin can begin now.
            for attempt in (request, replace(request, distrust_disable=True)):
                plan = _permitted_plan(context, attempt, allow_partial=allow_partial)
                listener.on_plan(plan)
                last = attempt.distrust_disable or not request.force_effective
                result = _pin_and_run(context.roots, _Attempt(plan, command, last), claim, listener)
                if result is not None:
                    return result
            raise AssertionError("the last attempt always has a result")


@contextmanager
def _claimed(
    context: PinContext, request: PinRequest, *, needed: bool
) -> Iterator[PinClaim | None]:
    """Yield a claim; None if only the process is changed, or if none is possible nor needed.

    Settings that already have the requested values are claimed too: they may belong to another
    pin, and end with it.
    """
    with ExitStack() as stack:
        folder = None
        if request.changes_machine:
            try:
                folder = stack.enter_context(run_folder(context.run_folder, context.roots))
            except UnableError:
                if needed:
                    raise
        if folder is None:
            yield None
        else:
            yield stack.enter_context(claim_level(folder, context.roots, context.name))


def _recovery_message(restored: JournalRestore) -> str:
    if restored.other_boot:
        return "discarded a journal of another boot: its settings ended with that boot"
    pending = len(restored.pending)
    text = f"restored a killed pin first: {len(restored.settings) - pending} settings"
    return f"{text}; {pending} more cannot be restored yet and are kept" if pending else text


def _permitted_plan(context: PinContext, request: PinRequest, *, allow_partial: bool) -> PinPlan:
    """Return the plan; with ``allow_partial`` only the part that this user may apply."""
    plan = make_plan(context.roots, request)
    forbidden = obstacles(context.roots, plan)
    if not forbidden:
        return plan
    permitted = plan.without(frozenset(forbidden))
    names = ", ".join(change.knob for change in permitted.changes) or "nothing"
    reasons = "; ".join(dict.fromkeys(forbidden.values()))
    if not allow_partial:
        remedy = "run as root" if os.geteuid() else "run where it is writable, such as on the host"
        raise UnableError(
            f"{reasons}; this user may set: {names}",
            f"{remedy}, or add --allow-partial to set only that",
        )
    warning = f"{reasons}; set only: {names}"
    return replace(permitted, partial=True, command_warnings=(*permitted.command_warnings, warning))


def obstacles(roots: Roots, plan: PinPlan) -> dict[Scope, str]:
    """Return, by scope, why this user may not write its settings; empty if all are writable."""
    reasons: dict[Scope, str] = {}
    for change in (*plan.journaled, *((plan.held_change,) if plan.held_change else ())):
        file = host_path(roots, change.path)
        if change.scope in reasons or not file.exists():
            continue
        if not os.access(file, os.W_OK, effective_ids=True):
            reasons[change.scope] = _why_not_writable(file, change.path)
    return reasons


def _why_not_writable(file: Path, path: str) -> str:
    with suppress(OSError):
        if os.statvfs(file).f_flag & os.ST_RDONLY:
            return f"{path} is on a file system that is mounted read-only, as in a container"
    return f"{path} can be written by root only"


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A plan and its command; the last attempt runs whatever the counters show."""

    plan: PinPlan
    command: Sequence[str]
    last: bool


def _pin_and_run(
    roots: Roots, attempt: _Attempt, claim: PinClaim | None, listener: PinListener
) -> PinnedRun | None:
    """Return the result; None, after restoring, if a pin has no effect and is not the last."""
    plan = attempt.plan
    with _pinned(roots, plan, claim, listener.on_message) as pin:
        probed = probe_effect(roots, plan.closed)
        if probed.effect is Effect.WITHOUT_EFFECT:
            listener.on_message(_without_effect(probed))
            if not attempt.last:
                return None
        closed_before = read_entries(roots, plan.closed)
        throttled = read_throttled(roots, plan.targets.command)
        khz = pinned_khz(plan)
        watch = FrequencyWatch(roots, plan.targets.command, khz) if khz else None
        number = pending_end_signal()
        entries_before = entries_by_name(roots, plan.targets.capped)
        begin = read_cpu_clock(roots, plan.targets.capped)
        command_exit = (
            CommandExit(128 + number)
            if number
            else run_command(
                attempt.command, plan.process, pin.guardian_pipe, watch.sample if watch else None
            )
        )
        end = read_cpu_clock(roots, plan.targets.capped)
        entries_after = entries_by_name(roots, plan.targets.capped)
        closed_after = read_entries(roots, plan.closed)
        during = check_effect(closed_before, closed_after, plan.closed, live=roots.is_live)
        disturbances = throttling(throttled, read_throttled(roots, plan.targets.command))
        foreign = foreign_changes(roots, pin.made)
    return PinnedRun(
        exit=command_exit,
        entries=increases(entries_before, entries_after),
        busy_s=end.busy_since(begin) if begin and end else None,
        plan=plan,
        probed=probed,
        during=during,
        foreign=foreign,
        disturbances=(*disturbances, *(watch.drift() if watch else ())),
        restored=pin.restored,
    )


def _without_effect(check: EffectCheck) -> str:
    names = ", ".join(sorted({state.name for state in check.states}))
    return (
        f"{check.effect}: {check.entries} entries into {names} although closed; "
        "--force-effective uses another mechanism"
    )


def pinned_khz(plan: PinPlan) -> int | None:
    """Return the frequency that a plan pins; None if it pins none or several."""
    limits = ("min-frequency", "max-frequency")
    values = {change.new for change in plan.journaled if change.knob in limits}
    only = values.pop() if len(values) == 1 else None
    return int(only) if only else None


@contextmanager
def _pinned(
    roots: Roots, plan: PinPlan, claim: PinClaim | None, on_message: Callable[[str], None]
) -> Iterator[_ActivePin]:
    """Yield while the plan's descriptor and files are set; restore them afterwards."""
    pin = _ActivePin()
    guardian: Guardian | None = None
    with held_limit(roots, plan.held_us):
        try:
            if claim is not None and plan.journaled:
                guardian = start_pin_guardian(claim, roots)
                pin.guardian_pipe = guardian.pipe
                _check_restorable(roots, plan.journaled)
                earlier = read_journal(claim.folder, claim.level)
                journal = new_journal(roots, claim.owner, plan.journaled, earlier)
                guardian.wait_ready()
                write_journal(claim.folder, claim.level, journal)
                applied = _apply(roots, claim, plan.journaled, journal)
                pin.made = applied.made
                for note in applied.notes:
                    on_message(note)
            yield pin
        finally:
            if claim is not None and plan.journaled:
                # If an inner pin does not end, its settings are restored around it.
                with suppress(StallscopeError, OSError):
                    end_deeper(claim.folder, claim.level)
                    restore_deeper(claim.folder, roots, claim.level)
                pin.restored = restore_journal(roots, claim.folder, claim.level) or JournalRestore()
            if guardian is not None:
                guardian.dismiss()


def _check_restorable(roots: Roots, changes: tuple[SettingChange, ...]) -> None:
    """Raise UnableError if a recorded machine's file contains more than a value and a newline."""
    for change in changes:
        try:
            reason = "" if is_restorable(roots, change.path) else "expected a value and a newline"
        except FileNotFoundError:
            continue  # its CPU went offline
        except OSError as error:
            reason = error.strerror or str(error)
        if reason:
            raise UnableError(
                f"{change.path}: cannot be restored exactly, so it is not changed: {reason}",
                "omit the option that sets it; stallscope pin --dry-run lists what each option "
                "sets",
            )


def _apply(
    roots: Roots, claim: PinClaim, changes: tuple[SettingChange, ...], journal: PinJournal
) -> AppliedChanges:
    """Return the changes that were made; UnableError, after all were restored, if one fails."""
    try:
        return apply(roots, changes)
    except RejectedChangeError as error:
        if error.after is not None:  # the kernel set another value, which is ours as well
            actual = replace(error.change, new=error.after)
            entries = (actual if change == error.change else change for change in journal.entries)
            write_journal(claim.folder, claim.level, replace(journal, entries=tuple(entries)))
        restored = restore_journal(roots, claim.folder, claim.level) or JournalRestore()
        lost = ", ".join(setting.change.path for setting in restored.pending)
        outcome = f"could not be restored: {lost}" if lost else "all earlier changes were undone"
        raise UnableError(
            f"{error}; {outcome}",
            "omit the option that sets it; stallscope pin --dry-run lists what each option sets",
        ) from error
