"""What to change for sleep states: by name from the machine's own table, never by index or time.

Two governors pass over what is asked (drivers/cpuidle/governors): haltpoll.c looks at ``disable``
nowhere, ladder.c not for its first real state; haltpoll.c passes over any latency limit but 0.
That is known beforehand and told; the counters decide afterwards (``effects``).
"""

from dataclasses import dataclass, replace

from cstates.idle.states import POLL, CpuIdle, IdleMachine, IdleState, read_idle_machine
from cstates.latency_limit import effective_limit_us, read_global_limit
from cstates.pinning.knobs import Change, change
from cstates.pinning.request import SHALLOWEST, PinRequest
from cstates.pinning.targets import Targets
from cstates.sysfs import cpu_folder
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots, read_text

PASS_OVER_DISABLE = frozenset({"haltpoll", "ladder"})
PASS_OVER_LIMIT = frozenset({"haltpoll"})  # but a limit of 0
HEED_DISABLE = ("menu", "teo")  # those to change to, the first that is there


@dataclass(frozen=True, slots=True)
class ClosedState:
    """A state that shall not be entered while pinned."""

    cpu: int
    index: int
    name: str


@dataclass(frozen=True, slots=True)
class IdlePlan:
    """What to change for sleep states; ``held_us`` is asked for by a descriptor that is held."""

    changes: tuple[Change, ...] = ()
    closed: tuple[ClosedState, ...] = ()
    held_us: int | None = None
    warnings: tuple[str, ...] = ()


def plan_idle(roots: Roots, request: PinRequest, targets: Targets) -> IdlePlan:
    """Return the changes that leave open just what is asked.

    Raises UsageError for names that are not known, UnableError where there are no states, or where
    ``force_effective`` finds no way that this machine's governors heed.
    """
    if not (request.states or request.max_exit_latency_us is not None or request.idle_governor):
        return IdlePlan()
    machine = read_idle_machine(roots, targets.capped)
    missing = next((cpu.missing for cpu in machine.cpus if cpu.missing), None)
    if missing:
        raise UnableError(
            f"no sleep states to pin: {missing}", "leave out the options about sleep states"
        )
    governor = _governor(machine, request)
    closed = _closed(machine, request)
    way = _effective_way(machine, request, governor, closed)
    changes = [*_governor_change(machine, way.governor)]
    if way.by_disable and request.states:
        changes += _disables(machine, request)
    if way.limit_us is not None and not targets.all_capped:
        changes += [_cpu_limit(roots, cpu, way.limit_us) for cpu in machine.cpus]
    held = way.limit_us if targets.all_capped else None
    return IdlePlan(
        tuple(each for each in changes if each.old != each.new),
        closed,
        held,
        (*way.warnings, *_still_closed(roots, machine, request)),
    )


def _still_closed(roots: Roots, machine: IdleMachine, request: PinRequest) -> tuple[str, ...]:
    """Return a warning of states that are named, but that a latency limit keeps closed."""
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
        f"{', '.join(names)} cannot be entered, for a latency limit is set already: "
        "stallscope cstates show tells whose"
    )
    return (text,)


@dataclass(frozen=True, slots=True)
class _Way:
    governor: str | None
    by_disable: bool
    limit_us: int | None
    warnings: tuple[str, ...] = ()


def _effective_way(
    machine: IdleMachine, request: PinRequest, governor: str | None, closed: tuple[ClosedState, ...]
) -> _Way:
    """Return how to close states; where that is known not to work, warned, or another way."""
    limit = request.max_exit_latency_us
    passed = []
    distrusted = request.distrust_disable or governor in PASS_OVER_DISABLE
    if request.states and closed and distrusted:
        passed.append("closed states (disable)")
    if limit and governor in PASS_OVER_LIMIT:
        passed.append("a latency limit other than 0")
    plain = _Way(request.idle_governor, by_disable=True, limit_us=limit)
    if not passed:
        return plain
    other = _other_way(machine, request, governor, closed)
    what = f"the idle governor {governor} passes over {' and '.join(passed)}"
    if request.force_effective:
        if other is None:
            raise UnableError(
                f"{what}, and there is no other way here: neither menu nor teo is available",
                "leave out --force-effective to pin the rest",
            )
        return other
    offer = _describe(other) if other else "no way that works is known on this machine"
    warning = f"{what}: accepted but without effect. {offer}"
    return _Way(request.idle_governor, by_disable=True, limit_us=limit, warnings=(warning,))


def _describe(way: _Way) -> str:
    if way.governor:
        return f"--force-effective changes to the idle governor {way.governor} meanwhile"
    return (
        f"--force-effective asks for an exit latency of at most {way.limit_us} us instead (PM QoS)"
    )


def _other_way(
    machine: IdleMachine, request: PinRequest, governor: str | None, closed: tuple[ClosedState, ...]
) -> _Way | None:
    """Return PM QoS where a limit closes just these states, else a governor that heeds them."""
    limit = _limit_that_closes(machine, closed) if request.max_exit_latency_us is None else None
    if limit is not None and (limit == 0 or governor not in PASS_OVER_LIMIT):
        return _Way(None, by_disable=False, limit_us=limit)
    heeding = next((name for name in HEED_DISABLE if name in machine.available_governors), None)
    if heeding is None:
        return None
    return _Way(heeding, by_disable=True, limit_us=request.max_exit_latency_us)


def _limit_that_closes(machine: IdleMachine, closed: tuple[ClosedState, ...]) -> int | None:
    """Return the limit beyond which lie just the closed states; None where there is none."""
    shut = {(each.cpu, each.index) for each in closed}
    left = [0]
    beyond: list[int] = []
    for cpu in machine.cpus:
        for state in cpu.states:
            latency = state.exit_latency_us
            if latency is None:
                return None
            (beyond if (cpu.cpu, state.index) in shut else left).append(latency)
    limit = max(left)
    return limit if beyond and limit < min(beyond) else None


def _governor(machine: IdleMachine, request: PinRequest) -> str | None:
    wanted = request.idle_governor
    if wanted is not None and wanted not in machine.available_governors:
        known = ", ".join(machine.available_governors) or "none that can be chosen"
        raise UsageError(
            f"--idle-governor {wanted!r}: this machine has no such idle governor",
            f"there are: {known}; governors of frequency are --governor",
        )
    return wanted or machine.governor


def _governor_change(machine: IdleMachine, wanted: str | None) -> tuple[Change, ...]:
    if wanted is None or machine.governor is None:
        return ()
    return (change("idle-governor", machine.governor, wanted),)


def _closed(machine: IdleMachine, request: PinRequest) -> tuple[ClosedState, ...]:
    """Return the states that shall not be entered: not named, or beyond the limit."""
    known = sorted({state.name for cpu in machine.cpus for state in cpu.states})
    unknown = [name for name in request.states if name != SHALLOWEST and name not in known]
    if unknown:
        raise UsageError(
            f"--states: no CPU here has a state {', '.join(map(repr, unknown))}",
            f"there are: {', '.join(known)}",
        )
    limit = request.max_exit_latency_us
    return tuple(
        ClosedState(cpu.cpu, state.index, state.name)
        for cpu in machine.cpus
        for state in cpu.states
        if (request.states and state.name not in open_names(cpu, request))
        or (limit is not None and (state.exit_latency_us or 0) > limit)
    )


def open_names(cpu: CpuIdle, request: PinRequest) -> frozenset[str]:
    """Return the names of the states that stay open on a CPU; POLL always does."""
    if request.states != (SHALLOWEST,):
        return frozenset(request.states) | {POLL}
    sleeping = [state for state in cpu.states if state.name != POLL and not state.disabled]
    first = min(sleeping, key=_depth, default=None)
    return frozenset({POLL} if first is None else {POLL, first.name})


def _depth(state: IdleState) -> tuple[int, int]:
    return (state.exit_latency_us or 0, state.index)


def _disables(machine: IdleMachine, request: PinRequest) -> list[Change]:
    changes = []
    for cpu in machine.cpus:
        left_open = open_names(cpu, request)
        for state in cpu.states:
            if state.name == POLL or state.disabled is None:
                continue
            wanted = "0" if state.name in left_open else "1"
            place = f"state{state.index}"
            old = "1" if state.disabled else "0"
            changes.append(change("idle-state", old, wanted, cpu=cpu.cpu, state=place))
    return changes


def _cpu_limit(roots: Roots, cpu: CpuIdle, limit_us: int) -> Change:
    """Return the change of a CPU's own limit; its "0" is no limit, its "n/a" is 0.

    A stricter one stays, as /dev/cpu_dma_latency would have it.
    """
    old = read_text(cpu_folder(roots, cpu.cpu) / "power" / "pm_qos_resume_latency_us", 64)
    if old is None:
        raise UnableError(
            f"CPU {cpu.cpu} has no latency limit of its own (pm_qos_resume_latency_us)",
            "pin all CPUs: then /dev/cpu_dma_latency serves",
        )
    stricter = cpu.resume_limit_us is not None and cpu.resume_limit_us <= limit_us
    new = old if stricter else str(limit_us) if limit_us else "n/a"
    return change("cpu-latency-limit", old, new, cpu=cpu.cpu)
