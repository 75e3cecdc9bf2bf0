"""Changes of sleep states, which are selected by name from the machine's own table.

Two governors ignore some settings (drivers/cpuidle/governors): haltpoll.c never reads ``disable``,
and ladder.c does not for its first real state; haltpoll.c ignores any latency limit except 0. The
plan warns of that; the counters decide afterwards (``effects``).
"""

from dataclasses import dataclass, replace

from cstates.idle.states import POLL, CpuIdle, IdleMachine, IdleState, read_idle_machine
from cstates.latency_limit import effective_limit_us, read_global_limit
from cstates.pinning.knobs import SettingChange, change
from cstates.pinning.request import SHALLOWEST, PinRequest
from cstates.pinning.targets import PinTargets
from cstates.sysfs import cpu_folder
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots, read_text

IGNORE_DISABLE = frozenset({"haltpoll", "ladder"})
IGNORE_LIMIT = frozenset({"haltpoll"})  # except a limit of 0
OBEY_DISABLE = ("menu", "teo")  # governors to switch to, in order of preference


@dataclass(frozen=True, slots=True)
class ClosedState:
    """A state that must not be entered while the pin holds."""

    cpu: int
    index: int
    name: str


@dataclass(frozen=True, slots=True)
class IdlePlan:
    """The changes of sleep states; ``held_us`` is a limit requested by an open descriptor."""

    changes: tuple[SettingChange, ...] = ()
    closed: tuple[ClosedState, ...] = ()
    held_us: int | None = None
    warnings: tuple[str, ...] = ()


def plan_idle(roots: Roots, request: PinRequest, targets: PinTargets) -> IdlePlan:
    """Return the changes that leave only the requested states open.

    Raises UsageError for unknown names. Raises UnableError if there are no states, or if
    ``force_effective`` finds no mechanism that the machine's governors obey.
    """
    if not (request.states or request.max_exit_latency_us is not None or request.idle_governor):
        return IdlePlan()
    machine = read_idle_machine(roots, targets.capped)
    missing = next((cpu.missing for cpu in machine.cpus if cpu.missing), None)
    if missing:
        raise UnableError(
            f"cannot pin sleep states: {missing}", "omit the options about sleep states"
        )
    governor = _governor(machine, request)
    closed = _closed(machine, request)
    mechanism = _mechanism(machine, request, governor, closed)
    changes = [*_governor_change(machine, mechanism.governor)]
    if mechanism.by_disable and request.states:
        changes += _disable_changes(machine, request)
    if mechanism.limit_us is not None and not targets.all_capped:
        changes += [_cpu_limit(roots, cpu, mechanism.limit_us) for cpu in machine.cpus]
    held_us = mechanism.limit_us if targets.all_capped else None
    return IdlePlan(
        tuple(planned for planned in changes if planned.old != planned.new),
        closed,
        held_us,
        (*mechanism.warnings, *_limit_warning(roots, machine, request)),
    )


def _limit_warning(roots: Roots, machine: IdleMachine, request: PinRequest) -> tuple[str, ...]:
    """Return a warning if a latency limit keeps requested states closed."""
    limit = read_global_limit(roots).limit_us
    names = dict.fromkeys(
        state.name
        for cpu in machine.cpus
        for state in cpu.states
        if state.name in request.states
        and replace(state, disabled=False).closed_by(effective_limit_us(limit, cpu.resume_limit_us))
    )
    if not names:
        return ()
    text = (
        f"{', '.join(names)} cannot be entered because of an existing latency limit: "
        "stallscope cstates show names its holder"
    )
    return (text,)


@dataclass(frozen=True, slots=True)
class _Mechanism:
    """How states are closed: by another governor, by ``disable``, by a limit."""

    governor: str | None
    by_disable: bool
    limit_us: int | None
    warnings: tuple[str, ...] = ()


def _mechanism(
    machine: IdleMachine, request: PinRequest, governor: str | None, closed: tuple[ClosedState, ...]
) -> _Mechanism:
    """Return how to close states; with a warning, or another mechanism, if that has no effect."""
    limit_us = request.max_exit_latency_us
    ignored = []
    distrusted = request.distrust_disable or governor in IGNORE_DISABLE
    if request.states and closed and distrusted:
        ignored.append("closed states (disable)")
    if limit_us and governor in IGNORE_LIMIT:
        ignored.append("a latency limit other than 0")
    default = _Mechanism(request.idle_governor, by_disable=True, limit_us=limit_us)
    if not ignored:
        return default
    alternative = _alternative(machine, request, governor, closed)
    problem = f"the idle governor {governor} ignores {' and '.join(ignored)}"
    if request.force_effective:
        if alternative is None:
            raise UnableError(
                f"{problem}, and this machine has no alternative: neither menu nor teo is "
                "available",
                "omit --force-effective to pin the rest",
            )
        return alternative
    hint = _description(alternative) if alternative else "this machine has no alternative"
    warning = f"{problem}: accepted but without effect. {hint}"
    return replace(default, warnings=(warning,))


def _description(mechanism: _Mechanism) -> str:
    if mechanism.governor:
        return f"--force-effective switches to the idle governor {mechanism.governor} meanwhile"
    return (
        f"--force-effective requests an exit latency of at most {mechanism.limit_us} us instead "
        "(PM QoS)"
    )


def _alternative(
    machine: IdleMachine, request: PinRequest, governor: str | None, closed: tuple[ClosedState, ...]
) -> _Mechanism | None:
    """Return PM QoS if a limit closes exactly these states, else a governor that obeys disable."""
    limit_us = _limit_that_closes(machine, closed) if request.max_exit_latency_us is None else None
    if limit_us is not None and (limit_us == 0 or governor not in IGNORE_LIMIT):
        return _Mechanism(None, by_disable=False, limit_us=limit_us)
    obeying = next((name for name in OBEY_DISABLE if name in machine.available_governors), None)
    if obeying is None:
        return None
    return _Mechanism(obeying, by_disable=True, limit_us=request.max_exit_latency_us)


def _limit_that_closes(machine: IdleMachine, closed: tuple[ClosedState, ...]) -> int | None:
    """Return the limit that closes exactly the closed states; None if there is none."""
    closed_keys = {(state.cpu, state.index) for state in closed}
    open_us = [0]
    closed_us: list[int] = []
    for cpu in machine.cpus:
        for state in cpu.states:
            if state.exit_latency_us is None:
                return None
            is_closed = (cpu.cpu, state.index) in closed_keys
            (closed_us if is_closed else open_us).append(state.exit_latency_us)
    limit_us = max(open_us)
    return limit_us if closed_us and limit_us < min(closed_us) else None


def _governor(machine: IdleMachine, request: PinRequest) -> str | None:
    governor = request.idle_governor
    if governor is not None and governor not in machine.available_governors:
        available = ", ".join(machine.available_governors) or "none"
        raise UsageError(
            f"--idle-governor {governor!r}: this machine has no such idle governor",
            f"available: {available}; for governors of frequency use --governor",
        )
    return governor or machine.governor


def _governor_change(machine: IdleMachine, governor: str | None) -> tuple[SettingChange, ...]:
    if governor is None or machine.governor is None:
        return ()
    return (change("idle-governor", machine.governor, governor),)


def _closed(machine: IdleMachine, request: PinRequest) -> tuple[ClosedState, ...]:
    """Return the states that must not be entered: not named, or beyond the limit."""
    state_names = sorted({state.name for cpu in machine.cpus for state in cpu.states})
    unknown = [name for name in request.states if name != SHALLOWEST and name not in state_names]
    if unknown:
        raise UsageError(
            f"--states: no CPU has a state {', '.join(map(repr, unknown))}",
            f"available: {', '.join(state_names)}",
        )
    limit_us = request.max_exit_latency_us
    return tuple(
        ClosedState(cpu.cpu, state.index, state.name)
        for cpu in machine.cpus
        for state in cpu.states
        if (request.states and state.name not in open_names(cpu, request))
        or (limit_us is not None and (state.exit_latency_us or 0) > limit_us)
    )


def open_names(cpu: CpuIdle, request: PinRequest) -> frozenset[str]:
    """Return the names of the states that stay open on a CPU, which always include POLL."""
    if request.states != (SHALLOWEST,):
        return frozenset(request.states) | {POLL}
    sleeping = [state for state in cpu.states if state.name != POLL and not state.disabled]
    first = min(sleeping, key=_depth, default=None)
    return frozenset({POLL} if first is None else {POLL, first.name})


def _depth(state: IdleState) -> tuple[int, int]:
    return (state.exit_latency_us or 0, state.index)


def _disable_changes(machine: IdleMachine, request: PinRequest) -> list[SettingChange]:
    changes = []
    for cpu in machine.cpus:
        opened = open_names(cpu, request)
        for state in cpu.states:
            if state.name == POLL or state.disabled is None:
                continue
            old = "1" if state.disabled else "0"
            new = "0" if state.name in opened else "1"
            changes.append(change("idle-state", old, new, cpu=cpu.cpu, state=f"state{state.index}"))
    return changes


def _cpu_limit(roots: Roots, cpu: CpuIdle, limit_us: int) -> SettingChange:
    """Return the change of a CPU's own limit, whose "0" is no limit and "n/a" is 0.

    A stricter limit stays, as with /dev/cpu_dma_latency.
    """
    old = read_text(cpu_folder(roots, cpu.cpu) / "power" / "pm_qos_resume_latency_us", 64)
    if old is None:
        raise UnableError(
            f"CPU {cpu.cpu} has no own latency limit (pm_qos_resume_latency_us)",
            "pin all CPUs, so that /dev/cpu_dma_latency can be used",
        )
    stricter = cpu.resume_limit_us is not None and cpu.resume_limit_us <= limit_us
    new = old if stricter else str(limit_us) if limit_us else "n/a"
    return change("cpu-latency-limit", old, new, cpu=cpu.cpu)
