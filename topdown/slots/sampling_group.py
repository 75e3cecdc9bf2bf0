"""The sampled event group for slots by function, in the collector's syntax."""

from dataclasses import dataclass

from stallscope.errors import UnableError
from stallscope.system_files import Roots
from topdown.slots.counting.counting_mode import CountingMode, core_pmu, counting_mode_of
from topdown.slots.counting.plan import FIELD, SLOTS, counted_as, encoding_of, formulas_for
from topdown.slots.model import CLOCKS, Model

SAMPLED = "cycles"
_RAW = 4  # PERF_TYPE_RAW


@dataclass(frozen=True, slots=True)
class SamplingGroup:
    """The sampled event, the events counted with it, and the event that must lead them, if any.

    Names include encodings, as in ``stallscope-collect --with``. ``measures`` names the result
    of the group.
    """

    sampled: str
    members: tuple[str, ...]
    leader: str
    measures: str


def encoded(model: Model, event: str) -> str:
    """Return a model's event with its raw encoding, in the collector's syntax."""
    encoding = encoding_of(model, CountingMode(), event)
    extra = f":{encoding.config1:#x}" if encoding.config1 else ""
    return f"{event}={_RAW}:{encoding.config:#x}{extra}"


def slots_group(model: Model, mode: CountingMode) -> SamplingGroup:
    """Return the group for level 1, and for level 2 if it needs no further counters.

    It contains the PERF_METRICS fields that the kernel offers, else general counters. The leader of
    the fields cannot sample (perf's topdown.txt), so a sibling samples.
    """
    formulas = formulas_for(model, mode)
    needed: set[str] = set()
    for node in model.nodes.values():
        if node.level == 1:
            needed |= formulas.events[node.name] - formulas.optional.get(node.name, frozenset())
    for node in model.nodes.values():
        events = formulas.events[node.name]
        if node.level == 2 and all(event in needed or event in mode.metrics for event in events):
            needed |= events
    leader = SLOTS if any(name.startswith(FIELD) for name in needed) else ""
    counted = {counted_as(model, mode, name) for name in needed} | {model.instructions}
    members = sorted(counted - {leader, model.cycles, *CLOCKS})
    return SamplingGroup(
        sampled=SAMPLED,
        members=tuple(encoded(model, name) for name in members),
        leader=encoded(model, leader) if leader else "",
        measures="slots and IPC",
    )


def groups_for(model: Model, roots: Roots) -> tuple[SamplingGroup, ...]:
    """Return the groups to try on a machine, the largest first; the last one is for IPC only."""
    group = slots_group(model, counting_mode_of(model, roots, per_process=True))
    return (group, ipc_group(model)) if _has(roots, group) else (ipc_group(model),)


def _has(roots: Roots, group: SamplingGroup) -> bool:
    """Return whether the CPU has a group's events, if its driver lists them (arm64).

    On arm64 an event without hardware support opens, and reads 0.
    """
    pmu = core_pmu(roots)
    names = {member.partition("=")[0].lower() for member in group.members}
    return not pmu.lists_all or names <= pmu.events


def ipc_group(model: Model) -> SamplingGroup:
    """Return the group for IPC only, which needs two counters."""
    return SamplingGroup(SAMPLED, (encoded(model, model.instructions),), "", "IPC")


def check_counters(roots: Roots) -> None:
    """Raise UnableError without counters of a single kind of core."""
    try:
        core_pmu(roots)
    except UnableError as error:
        raise UnableError(
            error.message,
            "use a machine with counters of one kind of core; kernel events can be counted by "
            "function on every machine: -e task-clock --with page-faults,context-switches",
        ) from error
