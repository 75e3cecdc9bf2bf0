"""Which events a sampled group needs for slots by function, as the collector takes them."""

from dataclasses import dataclass

from stallscope.errors import UnableError
from stallscope.system_files import Roots, read_text
from topdown.slots.evaluation import formulas_of
from topdown.slots.model import CLOCKS, Model

SAMPLED = "cycles"
_RAW = 4  # PERF_TYPE_RAW
_METRICS = "PERF_METRICS."
# What must lead a group that reads PERF_METRICS, and cannot sample. Source: perf's topdown.txt.
_SLOTS = ("TOPDOWN.SLOTS:perf_metrics", "TOPDOWN.SLOTS")


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
    return f"{event}={_RAW}:{model.events[event].replace('/', ':')}"


def slots_group(model: Model, *, smt: bool) -> SamplingGroup:
    """Return the group that tells level 1, and level 2 where it needs no further events."""
    metrics = any(name.startswith(_METRICS) for name in model.events)
    formulas = formulas_of(
        model.key, smt=smt, ebs_mode=smt and "ebs_mode" in model.variants, perf_metrics=metrics
    )
    needed: set[str] = set()
    for node in model.nodes.values():
        if node.level == 1:
            needed |= formulas.events[node.name] - formulas.optional.get(node.name, frozenset())
    for node in model.nodes.values():
        events = formulas.events[node.name]
        if node.level == 2 and all(e in needed or e.startswith(_METRICS) for e in events):
            needed |= events
    leader = next((name for name in _SLOTS if name in model.events), "") if metrics else ""
    counted = needed | {model.instructions}
    members = sorted(counted - {leader, model.cycles, *CLOCKS})
    return SamplingGroup(
        sampled=SAMPLED,
        members=tuple(encoded(model, name) for name in members),
        leader=encoded(model, leader) if leader else "",
        what="slots and IPC",
    )


def groups_for(model: Model, roots: Roots) -> tuple[SamplingGroup, ...]:
    """Return the groups to try on a machine, the richest first; the last one tells IPC alone."""
    smt = (read_text(roots.sys / "devices/system/cpu/smt/active") or "") == "1"
    group = slots_group(model, smt=smt)
    return (group, ipc_group(model)) if _has(roots, group) else (ipc_group(model),)


def _has(roots: Roots, group: SamplingGroup) -> bool:
    """Return whether the CPU has a group's events, where its driver lists them (arm64).

    There an event without hardware behind it opens all the same, and reads 0.
    """
    for events in roots.sys.glob("bus/event_source/devices/armv8*/events"):
        listed = {path.name for path in events.iterdir()}
        names = {member.partition("=")[0].lower() for member in group.members}
        return names <= listed
    return True


def ipc_group(model: Model) -> SamplingGroup:
    """Return the group that tells IPC alone: it fits wherever two counters are free."""
    return SamplingGroup(SAMPLED, (encoded(model, model.instructions),), "", "IPC")


def check_counters(roots: Roots) -> None:
    """Raise UnableError where the kernel has no PMU of the CPU to count with."""
    devices = roots.sys / "bus/event_source/devices"
    try:
        names = {path.name for path in devices.iterdir()}
    except OSError:
        names = set()
    if "cpu_core" in names:
        raise UnableError(
            "this CPU has cores of two kinds, whose counters cannot be mixed in one sampled group",
            "sample one kind of core with perf, or count with -e EVENT --with EVENTS",
        )
    if "cpu" not in names and not any(name.startswith("armv8") for name in names):
        raise UnableError(
            "slots by function need hardware counters, and this machine shows none",
            "use a host or virtual machine with a PMU; events of the kernel can be counted by "
            "function anywhere: -e task-clock --with page-faults,context-switches",
        )
