"""The settings worth comparing on a machine: unchanged, its state sets, its governors.

States and governors are named as in the machine's own tables. Frequency governors that leave the
choice to a program (``userspace``) are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cstates.frequency import read_frequency
from cstates.idle.states import POLL, IdleMachine, read_idle_machine
from cstates.latency_limit import effective_limit_us, read_global_limit
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.session import obstacles
from cstates.pinning.targets import find_targets
from stallscope.errors import StallscopeError, UnableError
from stallscope.system_files import Roots

BASELINE = "as it is"
CONTROL = "as it is, again"
_EXCLUDED_GOVERNORS = frozenset({"userspace"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A named setting to compare; the ``request`` of the baseline names CPUs only."""

    name: str
    request: PinRequest


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The settings to compare, baseline and control first, and those left out with reasons."""

    chosen: tuple[Candidate, ...]
    left_out: tuple[tuple[str, str], ...]
    not_shown: tuple[str, ...] = ()  # what no comparison on this machine can show


def baseline_and_control(cpus: str | None) -> list[Candidate]:
    """Return the unchanged machine twice; the difference of both is not due to any setting."""
    return [Candidate(name, PinRequest(cpus=cpus)) for name in (BASELINE, CONTROL)]


def find_candidates(roots: Roots, cpus: str | None) -> CandidateSet:
    """Return the settings that this machine has and this user may apply.

    Raises UnableError if there is none besides the baseline.
    """
    chosen = baseline_and_control(cpus)
    baseline = chosen[0].request
    left_out: list[tuple[str, str]] = []
    for candidate in _settings(roots, baseline):
        try:
            check_candidate(roots, candidate)
        except StallscopeError as error:
            left_out.append((candidate.name, error.message.removeprefix(f"{candidate.name}: ")))
        else:
            chosen.append(candidate)
    if len(chosen) == len((BASELINE, CONTROL)):
        reason = "; ".join(dict.fromkeys(f"{name}: {reason}" for name, reason in left_out))
        reason = reason or _why_none(roots, baseline)
        raise UnableError(
            "; ".join((f"no setting to compare with: {reason}", *not_shown(roots, cpus))),
            "name a setting with --setting, for example --setting 'nice=--nice -5'",
        )
    return CandidateSet(tuple(chosen), tuple(left_out), not_shown(roots, cpus))


def not_shown(roots: Roots, cpus: str | None) -> tuple[str, ...]:
    """Return what a comparison cannot show because the CPUs have fewer than two sleep states."""
    machine = read_idle_machine(roots, find_targets(roots, PinRequest(cpus=cpus)).capped)
    cpu = next((cpu for cpu in machine.cpus if cpu.states), None)
    if cpu is None:
        reason = f" ({machine.missing})" if machine.missing else ""
        return (f"no sleep state is declared{reason}, so none can be compared with another",)
    names = [state.name for state in cpu.states if state.name != POLL]
    if len(names) > 1:
        return ()
    only = f"{names[0]} is the only sleep state" if names else "there is no sleep state"
    text = (
        f"{only}: what sleeping costs against polling can be shown, what deeper states cost "
        "against shallower ones cannot. In a guest, the states of the host's CPUs are not visible"
    )
    return (text,)


def check_candidate(roots: Roots, candidate: Candidate) -> None:
    """Raise the error that pinning to the setting would raise, before anything runs."""
    forbidden = obstacles(roots, make_plan(roots, candidate.request))
    if forbidden:
        raise UnableError(
            f"{candidate.name}: {'; '.join(dict.fromkeys(forbidden.values()))}", "run as root"
        )


def _settings(roots: Roots, baseline: PinRequest) -> Iterator[Candidate]:
    targets = find_targets(roots, baseline)
    machine = read_idle_machine(roots, targets.capped)
    for names in state_sets(roots, machine):
        name = f"only {names[0]}" if len(names) == 1 else f"up to {names[-1]}"
        yield Candidate(name, replace(baseline, states=names, force_effective=True))
    for governor in machine.available_governors:
        if governor != machine.governor and machine.governor is not None:
            yield Candidate(f"idle governor {governor}", replace(baseline, idle_governor=governor))
    policies = read_frequency(roots, targets.capped).policies
    current = {policy.governor for policy in policies}
    for governor in dict.fromkeys(
        name for policy in policies for name in policy.available_governors
    ):
        if current != {governor} and governor not in _EXCLUDED_GOVERNORS:
            yield Candidate(f"governor {governor}", replace(baseline, governor=governor))


def state_sets(roots: Roots, machine: IdleMachine) -> tuple[tuple[str, ...], ...]:
    """Return the sets of states to leave open: up to each open state except the deepest."""
    cpu = next((cpu for cpu in machine.cpus if cpu.states), None)
    if cpu is None:
        return ()
    limit = effective_limit_us(read_global_limit(roots).limit_us, cpu.resume_limit_us)
    names = [state.name for state in cpu.states if state.closed_by(limit) is None]
    return tuple(tuple(names[:count]) for count in range(len(names) - 1, 0, -1))


def _why_none(roots: Roots, baseline: PinRequest) -> str:
    machine = read_idle_machine(roots, find_targets(roots, baseline).capped)
    return machine.missing or "one sleep state is open, and there is one governor"
