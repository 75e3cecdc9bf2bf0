"""Which events a sampled group needs for slots by function, as the collector takes them."""

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
    """The event to sample, those counted with it, and the one that must lead them, if any.

    Names bring their encodings, as ``stallscope-collect --with`` takes them. ``what`` says for a
    person what the group tells.
    """

    sampled: str
    members: tuple[str, ...]
    leader: str
    what: str


def encoded(model: Model, event: str) -> str:
    """Return an event of a model's as the collector takes it: with its raw encoding."""
    encoding = encoding_of(model, CountingMode(), event)
    extra = f":{encoding.config1:#x}" if encoding.config1 else ""
    return f"{event}={_RAW}:{encoding.config:#x}{extra}"


def slots_group(model: Model, mode: CountingMode) -> SamplingGroup:
    """Return the group that tells level 1, and level 2 where it needs no further counters.

    Of PERF_METRICS just the fields that the kernel offers; where it offers none, ordinary counters
    tell the slots. What leads fields cannot sample (perf's topdown.txt): a sibling does.
    """
    formulas = formulas_for(model, mode)
    needed: set[str] = set()
    for node in model.nodes.values():
        if node.level == 1:
            needed |= formulas.events[node.name] - formulas.optional.get(node.name, frozenset())
    for node in model.nodes.values():
        events = formulas.events[node.name]
        if node.level == 2 and all(e in needed or e in mode.metrics for e in events):
            needed |= events
    leader = SLOTS if any(name.startswith(FIELD) for name in needed) else ""
    counted = {counted_as(model, mode, name) for name in needed} | {model.instructions}
    members = sorted(counted - {leader, model.cycles, *CLOCKS})
    return SamplingGroup(
        sampled=SAMPLED,
        members=tuple(encoded(model, name) for name in members),
        leader=encoded(model, leader) if leader else "",
        what="slots and IPC",
    )


def groups_for(model: Model, roots: Roots) -> tuple[SamplingGroup, ...]:
    """Return the groups to try on a machine, the richest first; the last one tells IPC alone."""
    group = slots_group(model, counting_mode_of(model, roots, per_process=True))
    return (group, ipc_group(model)) if _has(roots, group) else (ipc_group(model),)


def _has(roots: Roots, group: SamplingGroup) -> bool:
    """Return whether the CPU has a group's events, where its driver lists them (arm64).

    There an event without hardware behind it opens all the same, and reads 0.
    """
    pmu = core_pmu(roots)
    names = {member.partition("=")[0].lower() for member in group.members}
    return not pmu.lists_all or names <= pmu.events


def ipc_group(model: Model) -> SamplingGroup:
    """Return the group that tells IPC alone: it fits wherever two counters are free."""
    return SamplingGroup(SAMPLED, (encoded(model, model.instructions),), "", "IPC")


def check_counters(roots: Roots) -> None:
    """Raise UnableError where there are no counters of one kind of core to count with."""
    try:
        core_pmu(roots)
    except UnableError as error:
        raise UnableError(
            error.message,
            "use a machine with counters of one kind of core; events of the kernel can be counted "
            "by function anywhere: -e task-clock --with page-faults,context-switches",
        ) from error
