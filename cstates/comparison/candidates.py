"""The settings worth comparing on a machine: as it is, its state sets, its governors.

By names from the machine's own table. Frequency governors that only do as a program tells them
(``userspace``) are no setting.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cstates.frequency import read_frequency
from cstates.idle.states import IdleMachine, read_idle_machine
from cstates.latency_limit import effective_limit_us, read_global_limit
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.session import obstacles
from cstates.pinning.targets import find_targets
from stallscope.errors import StallscopeError, UnableError
from stallscope.system_files import Roots

AS_IT_IS = "as it is"
CONTROL = "as it is, again"
_NO_SETTING = frozenset({"userspace"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A setting by its name; ``request`` of "as it is" asks for CPUs alone."""

    name: str
    request: PinRequest


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is compared, "as it is" and its control first, and what cannot be, with its reason."""

    chosen: tuple[Candidate, ...]
    left_out: tuple[tuple[str, str], ...]


def usual_and_control(cpus: str | None) -> list[Candidate]:
    """Return "as it is" twice: what the second differs by from the first, no setting made."""
    return [Candidate(name, PinRequest(cpus=cpus)) for name in (AS_IT_IS, CONTROL)]


def candidates(roots: Roots, cpus: str | None) -> Candidates:
    """Return what this machine can be set to, each known to have a plan that this user may do.

    UnableError where nothing is left to compare with.
    """
    baselines = usual_and_control(cpus)
    usual = baselines[0].request
    chosen = [*baselines]
    left_out: list[tuple[str, str]] = []
    for each in _settings(roots, usual):
        try:
            check(roots, each)
        except StallscopeError as error:
            left_out.append((each.name, error.message.removeprefix(f"{each.name}: ")))
        else:
            chosen.append(each)
    if len(chosen) == len(baselines):
        why = "; ".join(dict.fromkeys(f"{name}: {reason}" for name, reason in left_out))
        raise UnableError(
            f"there is nothing to compare with: {why or _why_none(roots, usual)}",
            "name settings of your own with --setting, as --setting 'nice=--nice -5'",
        )
    return Candidates(tuple(chosen), tuple(left_out))


def check(roots: Roots, candidate: Candidate) -> None:
    """Raise what a pin to the setting would raise, before anything runs."""
    closed = obstacles(roots, make_plan(roots, candidate.request))
    if closed:
        raise UnableError(
            f"{candidate.name}: {'; '.join(dict.fromkeys(closed.values()))}", "run as root"
        )


def _settings(roots: Roots, usual: PinRequest) -> Iterator[Candidate]:
    targets = find_targets(roots, usual)
    machine = read_idle_machine(roots, targets.capped)
    for names in state_sets(roots, machine):
        name = f"only {names[0]}" if len(names) == 1 else f"up to {names[-1]}"
        yield Candidate(name, replace(usual, states=names, force_effective=True))
    for governor in machine.available_governors:
        if governor != machine.governor and machine.governor is not None:
            yield Candidate(f"idle governor {governor}", replace(usual, idle_governor=governor))
    policies = read_frequency(roots, targets.capped).policies
    set_now = {policy.governor for policy in policies}
    for governor in dict.fromkeys(name for each in policies for name in each.available_governors):
        if set_now != {governor} and governor not in _NO_SETTING:
            yield Candidate(f"governor {governor}", replace(usual, governor=governor))


def state_sets(roots: Roots, machine: IdleMachine) -> tuple[tuple[str, ...], ...]:
    """Return the names to leave open: up to each state but the deepest that is open now."""
    cpu = next((each for each in machine.cpus if each.states), None)
    if cpu is None:
        return ()
    limit = effective_limit_us(read_global_limit(roots).limit_us, cpu.resume_limit_us)
    names = [state.name for state in cpu.states if state.closed_by(limit) is None]
    return tuple(tuple(names[:count]) for count in range(len(names) - 1, 0, -1))


def _why_none(roots: Roots, usual: PinRequest) -> str:
    machine = read_idle_machine(roots, find_targets(roots, usual).capped)
    return machine.missing or "one sleep state is open, and there is one governor"
