"""Turns a request into the changes that it takes on this machine, in the order of applying."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cstates.latency_limit import NO_LIMIT_US, read_global_limit
from cstates.pinning import frequency_plan, system_plan
from cstates.pinning.idle_plan import ClosedState, IdlePlan, plan_idle
from cstates.pinning.knobs import Scope, SettingChange, change
from cstates.pinning.process_scope import ProcessScope, plan_process
from cstates.pinning.request import OptionalSetting, PinRequest
from cstates.pinning.targets import PinTargets, find_targets
from cstates.pinning.watching import conflicting_daemons
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import StallscopeError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class SkippedOption:
    """An option of a profile that this machine does not support."""

    option: OptionalSetting
    reason: str


@dataclass(frozen=True, slots=True)
class PinPlan:
    """The changes of a pin, by scope, and warnings to print before."""

    targets: PinTargets
    process: ProcessScope
    process_changes: tuple[SettingChange, ...]
    held_us: int | None  # exit latency limit requested by an open descriptor
    held_change: SettingChange | None  # the same limit, for display
    journaled: tuple[SettingChange, ...]  # in the order of writing
    closed: tuple[ClosedState, ...]  # states that must not be entered
    skipped: tuple[SkippedOption, ...] = ()
    command_warnings: tuple[str, ...] = ()
    file_warnings: tuple[str, ...] = ()  # about journaled changes
    partial: bool = False  # without the changes that this user may not make

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return all warnings."""
        return (*self.command_warnings, *self.file_warnings)

    @property
    def changes(self) -> tuple[SettingChange, ...]:
        """Return all changes in order, without values that are only stored."""
        held = (self.held_change,) if self.held_change else ()
        written = tuple(planned for planned in self.journaled if planned.new is not None)
        return (*self.process_changes, *held, *written)

    def without(self, scopes: frozenset[Scope]) -> "PinPlan":
        """Return the part of the plan that needs none of these scopes."""
        plan = self
        if Scope.SYSFS in scopes:
            plan = replace(plan, journaled=(), closed=(), file_warnings=())
        if Scope.DESCRIPTOR in scopes:
            plan = replace(plan, held_us=None, held_change=None)
        return plan


@dataclass(slots=True)
class _Draft:
    """Collects changes; an unsupported optional option is skipped, any other raises."""

    optional: frozenset[OptionalSetting]
    changes: list[SettingChange] = field(default_factory=list)
    skipped: list[SkippedOption] = field(default_factory=list)

    def add(
        self, option: OptionalSetting, value: object, make: Callable[[], tuple[SettingChange, ...]]
    ) -> None:
        """Add an option's changes if it has a value."""
        if value is None or value is False:
            return
        try:
            self.changes += make()
        except StallscopeError as error:
            if option not in self.optional:
                raise
            self.skip(option, error)

    def skip(self, option: OptionalSetting, error: StallscopeError) -> None:
        """Store why an option is not supported, without the option's name in the message."""
        reason = error.message.removeprefix(f"--{option}: ")
        self.skipped.append(SkippedOption(option, reason))


def make_plan(roots: Roots, request: PinRequest) -> PinPlan:
    """Return the plan of a request.

    Raises UsageError for unknown names, UnableError for settings that the machine does not support.
    """
    targets = find_targets(roots, request)
    process, process_changes = plan_process(roots, request, targets)
    draft = _Draft(request.optional)
    _add_frequency(draft, roots, request, targets)
    idle = _idle_plan(draft, roots, request, targets)
    draft.changes += idle.changes
    for option, value in (
        (OptionalSetting.NUMA_BALANCING, request.numa_balancing_off),
        (OptionalSetting.NMI_WATCHDOG, request.nmi_watchdog_off),
    ):
        draft.add(
            option,
            value,
            lambda name=option.value: system_plan.plan_switch_off(roots, name),  # type: ignore[misc]
        )
    draft.add(
        OptionalSetting.IRQ_AWAY,
        request.irq_away,
        lambda: system_plan.plan_interrupts(roots, targets),
    )
    journaled = tuple(draft.changes)
    shared = frequency_plan.shared_policies(roots, targets, journaled)
    return PinPlan(
        targets=targets,
        process=process,
        process_changes=process_changes,
        held_us=idle.held_us,
        held_change=_held_change(roots, idle.held_us),
        journaled=journaled,
        closed=idle.closed,
        skipped=tuple(draft.skipped),
        command_warnings=_offline_warning(targets),
        file_warnings=(*idle.warnings, *shared, *_daemon_warnings(roots, journaled)),
    )


def _add_frequency(draft: _Draft, roots: Roots, request: PinRequest, targets: PinTargets) -> None:
    plan = frequency_plan
    steps: tuple[tuple[OptionalSetting, object, Callable[[], tuple[SettingChange, ...]]], ...] = (
        (
            OptionalSetting.GOVERNOR,
            request.governor,
            lambda: plan.plan_governor(roots, request, targets),
        ),
        (OptionalSetting.NO_TURBO, request.no_turbo, lambda: plan.plan_turbo(roots, targets)),
        (
            OptionalSetting.ENERGY_PREFERENCE,
            request.energy_preference,
            lambda: plan.plan_energy_preference(roots, request, targets),
        ),
        (
            OptionalSetting.ENERGY_BIAS,
            request.energy_bias,
            lambda: plan.plan_energy_bias(roots, request, targets),
        ),
        (
            OptionalSetting.FREQUENCY,
            request.frequency,
            lambda: plan.plan_limits(roots, request, targets),
        ),
    )
    for option, value, make in steps:
        draft.add(option, value, make)


def _idle_plan(draft: _Draft, roots: Roots, request: PinRequest, targets: PinTargets) -> IdlePlan:
    try:
        return plan_idle(roots, request, targets)
    except StallscopeError as error:
        if OptionalSetting.STATES not in draft.optional or request.idle_governor:
            raise
        draft.skip(OptionalSetting.STATES, error)
    return IdlePlan()


def _held_change(roots: Roots, held_us: int | None) -> SettingChange | None:
    if held_us is None:
        return None
    limit = read_global_limit(roots)
    current_us = NO_LIMIT_US if limit.limit_us is None else limit.limit_us
    old = "unknown" if limit.missing else str(current_us)
    return change("latency-limit", old, str(held_us))


def _offline_warning(targets: PinTargets) -> tuple[str, ...]:
    if not targets.offline:
        return ()
    return (f"CPUs {format_cpu_list(targets.offline)} are offline and not used",)


def _daemon_warnings(roots: Roots, changes: tuple[SettingChange, ...]) -> tuple[str, ...]:
    daemons = conflicting_daemons(roots) if changes else ()
    return tuple(
        f"{daemon.name} (process {daemon.pid}) is running and may override this: it {daemon.effect}"
        for daemon in daemons
    )
