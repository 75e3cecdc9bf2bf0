"""The model's outcome as a measurement: nodes with intervals, the marked path, and what to know."""

import statistics
from dataclasses import dataclass

from topdown.slots.measurement import Interval, Ipc, Kind, MeasuredNode, Measurement
from topdown.slots.model import Model
from topdown.slots.modelled.apportioning import (
    LEVEL_1,
    NODES,
    UNEXPLAINED,
    Native,
    path_of,
    shares,
)
from topdown.slots.modelled.cache_options import Caches
from topdown.slots.modelled.constants import Core
from topdown.slots.modelled.native_run import NativeRun
from topdown.slots.modelled.pipeline import Host
from topdown.slots.modelled.prediction import Prediction

MINOR_USER_SHARE = 0.5  # of the time spent or waited: below, no bottleneck of user mode is named
KNOWN_AT_LEAST = 0.5
OTHER_WORK = 3.0  # native cycles, as a multiple of predicted ones
AS_LONG = (0.85, 1.3)  # simulated seconds between these multiples of native ones
START_UP_S = 0.8  # of valgrind, on a CPU of its own
LEAST_TIMED_S = 0.5  # no command that runs for a time runs for less
SHORT_S = 0.02


@dataclass(frozen=True, slots=True)
class ModelledRun:
    """All that the model knows of one command."""

    command: str
    model: Model | None
    core: Core
    host: Host
    caches: Caches
    native: tuple[NativeRun, ...]
    frequencies_hz: tuple[float, ...]
    prediction: Prediction
    simulated_s: float
    two_levels: bool
    threads: int = 1  # the most of any of its processes

    @property
    def kernel_share(self) -> float:
        """Return the kernel's share of the CPU time, the median of the runs.

        Of one short run the kernel itself knows it by a few ticks of its clock only.
        """
        return statistics.median(
            run.system_s / run.cpu_s if run.cpu_s else 0 for run in self.native
        )

    @property
    def cycles(self) -> list[float]:
        """Return each native run's cycles, least first."""
        pairs = zip(self.native, self.frequencies_hz, strict=True)
        return sorted(run.cpu_s * frequency for run, frequency in pairs)

    @property
    def off_cpu_share(self) -> float:
        """Return the least share of a run's time that was spent neither running nor queued."""
        return min(run.waited_s / run.wall_s if run.wall_s else 0.0 for run in self.native)

    @property
    def ends_by_time(self) -> bool:
        """Return whether the command seems to run for a time, not for an amount of work."""
        wall = statistics.median(run.wall_s for run in self.native)
        cpu = sum(run.cpu_s for run in self.native)
        crowded = 1 + sum(run.queued_s for run in self.native) / cpu if cpu else 1.0
        least, most = AS_LONG
        native = self.cycles[0] * (1 - self.kernel_share) / self.prediction.instructions
        return (
            wall >= LEAST_TIMED_S
            and max(self.kernel_share, self.off_cpu_share) < MINOR_USER_SHARE
            and least * wall <= self.simulated_s <= most * wall + START_UP_S * crowded
            and native > OTHER_WORK * self.prediction.cycles
        )


def measurement_of(outcome: ModelledRun) -> Measurement:
    """Return the outcome with every node modelled, from least to median native run."""
    runs = [_native(cycles, outcome.kernel_share) for cycles in _ends(outcome.cycles)]
    instructions = outcome.prediction.instructions
    low, high = (shares(outcome.prediction.added, instructions, run) for run in runs)
    path, why = _bottleneck(outcome, low, high)
    model = outcome.model
    user = runs[0].user_cycles
    return Measurement(
        kind=Kind.MODELLED,
        source="model: native time, callgrind's counts and an interval model of the pipeline",
        cpu=model.cpu if model else "unknown",
        title=model.title if model else "a CPU that there is no model of",
        whole=1.0,
        nodes=_nodes(low, high),
        ipc=Ipc(instructions / user, float(instructions), user) if user else None,
        interval_label=f"least to median of {len(outcome.native)} native runs; the model's own "
        "error is not in it",
        bottleneck=path or None,
        bottleneck_why=why,
        warnings=_warnings(outcome),
        facts=_facts(outcome),
    )


def _ends(cycles: list[float]) -> tuple[float, float]:
    return cycles[0], statistics.median(cycles)


def _native(cycles: float, kernel_share: float) -> Native:
    return Native(max(1.0, cycles * (1 - kernel_share)), cycles * kernel_share)


def _nodes(low: dict[str, float], high: dict[str, float]) -> tuple[MeasuredNode, ...]:
    nodes = []
    for root in LEVEL_1:
        nodes.append(_node(root, 1, None, low, high))
        children = [node for node, parent in NODES.values() if parent == root]
        if root == "unexplained":
            children = list(UNEXPLAINED)
        nodes += [_node(child, 2, root, low, high) for child in children]
    return tuple(nodes)


def _node(
    name: str, level: int, parent: str | None, low: dict[str, float], high: dict[str, float]
) -> MeasuredNode:
    ends = sorted((low[name], high[name]))
    return MeasuredNode(name, level, parent, low[name], "slots", interval=Interval(*ends))


def _bottleneck(
    outcome: ModelledRun, low: dict[str, float], high: dict[str, float]
) -> tuple[tuple[str, ...], str]:
    user = 1 - outcome.kernel_share
    if outcome.off_cpu_share > 1 - MINOR_USER_SHARE:
        return (), (
            f"{outcome.off_cpu_share:.0%} of the time the command was off the CPU, "
            "which the model does not see"
        )
    if user < MINOR_USER_SHARE:
        return (), (
            f"{outcome.kernel_share:.0%} of the CPU time was the kernel's, which "
            "the model does not see"
        )
    if outcome.ends_by_time:
        return (), "the simulated run did other work than the native ones"
    if outcome.prediction.known < KNOWN_AT_LEAST:
        return (), "most of the executed instructions could not be read"
    path = path_of(low, high)
    if not path:
        return (), "the native runs differ too much to tell the two greatest apart"
    return path, "the greatest at each level, by the least and the median native run alike"


def _warnings(outcome: ModelledRun) -> tuple[str, ...]:
    found = list(outcome.caches.notes)
    if outcome.ends_by_time:
        found.append(
            "the command seems to end after a time and not after an amount of work: simulated it "
            "took as long as natively, and so did less; give it a fixed amount of work"
        )
    if outcome.prediction.known < 0.95:
        found.append(
            f"{1 - outcome.prediction.known:.0%} of the executed instructions could not be read "
            "(made at run time, or in a file that is gone): the rest stands for them"
        )
    if outcome.kernel_share > 0.1:
        found.append(
            f"{outcome.kernel_share:.0%} of the CPU time was the kernel's: it is unexplained here"
        )
    if outcome.off_cpu_share > 0.1:
        found.append(
            f"{outcome.off_cpu_share:.0%} of the time the command was off the CPU: no slot of its"
        )
    if outcome.threads > 1:
        found.append(
            f"{outcome.threads} threads were simulated one at a time: what they wait for in each "
            "other, as lines that another core has, is not seen"
        )
    if min(run.cpu_s for run in outcome.native) < SHORT_S:
        found.append("the native runs are too short to be timed well: give the command more work")
    if not outcome.core.name:
        found.append("no constants of this CPU: those common to many are taken")
    return tuple(found)


def _facts(outcome: ModelledRun) -> tuple[tuple[str, str], ...]:
    cpu = sorted(run.cpu_s for run in outcome.native)
    median = statistics.median(cpu)
    prediction = outcome.prediction
    there = outcome.cycles[0] * (1 - outcome.kernel_share) / prediction.instructions
    slower = outcome.simulated_s / max(1e-9, median)
    native = (
        f"{cpu[0]:.3f} s least, {median:.3f} s median, {cpu[-1]:.3f} s most of CPU time in "
        f"{len(cpu)} runs; {outcome.kernel_share:.0%} of it the kernel's"
    )
    frequency = (
        f"{max(outcome.frequencies_hz) / 1e9:.2f} GHz, measured by additions that each wait for "
        "the one before, taken as one cycle each; cycles are time x frequency"
    )
    simulated = (
        f"{prediction.instructions} instructions in {outcome.simulated_s:.1f} s, {slower:.0f} "
        f"times native; {_sizes(outcome.caches)}"
    )
    anchor = (
        f"{there:.2f} cycles an instruction natively, {prediction.cycles:.2f} by the model before "
        "it was anchored"
    )
    return (
        ("command", outcome.command),
        ("native", native),
        ("frequency", frequency),
        ("simulated", simulated),
        ("anchor", anchor),
        ("latencies", _latencies(outcome)),
    )


def _sizes(caches: Caches) -> str:
    named = (("L1I", caches.l1i), ("L1D", caches.l1d), ("L2", caches.l2), ("L3", caches.l3))
    return ", ".join(f"{name} {cache.size_bytes // 1024} KiB" for name, cache in named if cache)


def _latencies(outcome: ModelledRun) -> str:
    host = outcome.host
    levels = zip(("L1", "L2", "L3", "DRAM"), host.load_cycles, strict=True)
    loads = ", ".join(f"{level} {cycles:.0f}" for level, cycles in levels)
    unmeasured = "" if outcome.two_levels else " (beyond L1 not measured: too few misses)"
    wrong = f"after a wrong prediction {host.mispredict_cycles:.0f}"
    return f"cycles of a load from {loads}{unmeasured}; {wrong}"
