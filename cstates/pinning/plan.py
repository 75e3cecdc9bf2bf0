"""From a request to the changes it takes on this machine, in the order they are made."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cstates.pinning import frequency_plan, system_plan
from cstates.pinning.idle_plan import ClosedState, IdlePlan, plan_idle
from cstates.pinning.knobs import Change, Scope, change
from cstates.pinning.process_scope import ProcessScope, plan_process
from cstates.pinning.request import PinRequest, Wish
from cstates.pinning.targets import Targets, find_targets
from cstates.pinning.watching import rivals
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import StallscopeError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A wish of a profile that this machine cannot grant."""

    wish: Wish
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pin changes, by scope, and what is to be said before."""

    targets: Targets
    process: ProcessScope
    process_changes: tuple[Change, ...]
    held_us: int | None  # exit latency asked for by a held descriptor
    held_change: Change | None  # the same, to be shown
    journaled: tuple[Change, ...]  # in the order they are written
    closed: tuple[ClosedState, ...]  # states that counters shall not see entered
    left_out: tuple[LeftOut, ...] = ()
    warnings_of_command: tuple[str, ...] = ()
    warnings_of_files: tuple[str, ...] = ()  # of what is journaled
    partial: bool = False  # without what this user may not do

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return all that is to be warned of."""
        return (*self.warnings_of_command, *self.warnings_of_files)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return all that is changed, in order; without what is only kept."""
        held = (self.held_change,) if self.held_change else ()
        written = tuple(each for each in self.journaled if each.new is not None)
        return (*self.process_changes, *held, *written)

    def without(self, scopes: frozenset[Scope]) -> "Plan":
        """Return the plan's part that needs none of these scopes."""
        plan = self
        if Scope.SYSFS in scopes:
            plan = replace(plan, journaled=(), closed=(), warnings_of_files=())
        if Scope.DESCRIPTOR in scopes:
            plan = replace(plan, held_us=None, held_change=None)
        return plan


@dataclass(slots=True)
class _Draft:
    """Collects changes; a refused wish of a profile is left out, any other raises."""

    optional: frozenset[Wish]
    changes: list[Change] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def add(self, wish: Wish, asked: object, make: Callable[[], tuple[Change, ...]]) -> None:
        if asked is None or asked is False:
            return
        try:
            self.changes += make()
        except StallscopeError as error:
            if wish not in self.optional:
                raise
            self.leave_out(wish, error)

    def leave_out(self, wish: Wish, error: StallscopeError) -> None:
        """Keep why a wish cannot be granted, without the option's name, which stands before it."""
        self.left_out.append(LeftOut(wish, error.message.removeprefix(f"--{wish}: ")))


def make_plan(roots: Roots, request: PinRequest) -> Plan:
    """Return the plan of a request.

    Raises UsageError for what is unknown, UnableError for what was asked and cannot be.
    """
    targets = find_targets(roots, request)
    process, process_changes = plan_process(roots, request, targets)
    draft = _Draft(request.optional)
    _add_frequency(draft, roots, request, targets)
    idle = _idle(draft, roots, request, targets)
    draft.changes += idle.changes
    off = system_plan.plan_switch_off
    for wish, asked in (
        (Wish.NUMA_BALANCING, request.numa_balancing_off),
        (Wish.NMI_WATCHDOG, request.nmi_watchdog_off),
    ):
        draft.add(wish, asked, lambda wish=wish: off(roots, wish.value))  # type: ignore[misc]
    away = system_plan.plan_interrupts
    draft.add(Wish.IRQ_AWAY, request.irq_away, lambda: away(roots, targets))
    journaled = tuple(draft.changes)
    shared = frequency_plan.shared_policies(roots, targets, journaled)
    return Plan(
        targets=targets,
        process=process,
        process_changes=process_changes,
        held_us=idle.held_us,
        held_change=_held_change(roots, idle.held_us),
        journaled=journaled,
        closed=idle.closed,
        left_out=tuple(draft.left_out),
        warnings_of_command=_offline(targets),
        warnings_of_files=(*idle.warnings, *shared, *_rivals(roots, journaled)),
    )


def _add_frequency(draft: _Draft, roots: Roots, request: PinRequest, targets: Targets) -> None:
    plan = frequency_plan
    steps: tuple[tuple[Wish, object, Callable[[], tuple[Change, ...]]], ...] = (
        (Wish.GOVERNOR, request.governor, lambda: plan.plan_governor(roots, request, targets)),
        (Wish.NO_TURBO, request.no_turbo, lambda: plan.plan_turbo(roots, targets)),
        (
            Wish.ENERGY_PREFERENCE,
            request.energy_preference,
            lambda: plan.plan_energy_preference(roots, request, targets),
        ),
        (
            Wish.ENERGY_BIAS,
            request.energy_bias,
            lambda: plan.plan_energy_bias(roots, request, targets),
        ),
        (Wish.FREQUENCY, request.frequency, lambda: plan.plan_limits(roots, request, targets)),
    )
    for wish, asked, make in steps:
        draft.add(wish, asked, make)


def _idle(draft: _Draft, roots: Roots, request: PinRequest, targets: Targets) -> IdlePlan:
    try:
        return plan_idle(roots, request, targets)
    except StallscopeError as error:
        if Wish.STATES not in draft.optional or request.idle_governor:
            raise
        draft.leave_out(Wish.STATES, error)
    return IdlePlan()


def _held_change(roots: Roots, held_us: int | None) -> Change | None:
    from cstates.latency_limit import NO_LIMIT_US, read_global_limit  # noqa: PLC0415 - if asked

    if held_us is None:
        return None
    now = read_global_limit(roots)
    old = "unknown" if now.missing else str(NO_LIMIT_US if now.limit_us is None else now.limit_us)
    return change("latency-limit", old, str(held_us))


def _offline(targets: Targets) -> tuple[str, ...]:
    if not targets.offline:
        return ()
    return (f"CPUs {format_cpu_list(targets.offline)} are offline, and left out",)


def _rivals(roots: Roots, changes: tuple[Change, ...]) -> tuple[str, ...]:
    found = rivals(roots) if changes else ()
    return tuple(
        f"{rival.name} (process {rival.pid}) is running and may override this: it {rival.what}"
        for rival in found
    )
