"""Modelled slots as a measurement: nodes with intervals, the marked path, and warnings."""

import statistics
from dataclasses import dataclass

from topdown.slots.measurement import Interval, Ipc, Kind, MeasuredNode, Measurement
from topdown.slots.model import Model
from topdown.slots.modelled.apportioning import (
    LEVEL_1,
    NODES,
    UNEXPLAINED,
    NativeCycles,
    path_of,
    shares,
)
from topdown.slots.modelled.cache_options import Caches
from topdown.slots.modelled.constants import Core
from topdown.slots.modelled.native_run import NativeRun
from topdown.slots.modelled.pipeline import ModelledHost
from topdown.slots.modelled.prediction import Prediction

MIN_USER_SHARE = 0.5  # of the time; below, no bottleneck of user mode is reported
MIN_KNOWN_SHARE = 0.5
OTHER_WORK_FACTOR = 3.0  # native cycles relative to predicted ones
EQUAL_TIME_RANGE = (0.85, 1.3)  # simulated relative to native seconds
START_UP_S = 0.8  # of valgrind on an idle CPU
MIN_TIMED_S = 0.5  # shorter commands are not considered time-limited
MIN_CPU_S = 0.02


@dataclass(frozen=True, slots=True)
class ModelledRun:
    """The native runs, the prediction and the host of a modelled command."""

    command: str
    model: Model | None
    core: Core
    host: ModelledHost
    caches: Caches
    native: tuple[NativeRun, ...]
    frequencies_hz: tuple[float, ...]
    prediction: Prediction
    simulated_s: float
    two_levels: bool
    threads: int = 1  # maximum over its processes

    @property
    def kernel_share(self) -> float:
        """Return the kernel's share of CPU time, the median over the runs.

        The kernel accounts a short run with a few clock ticks only.
        """
        return statistics.median(
            run.system_s / run.cpu_s if run.cpu_s else 0 for run in self.native
        )

    @property
    def cycles(self) -> list[float]:
        """Return the cycles of the native runs, in ascending order."""
        pairs = zip(self.native, self.frequencies_hz, strict=True)
        return sorted(run.cpu_s * frequency for run, frequency in pairs)

    @property
    def off_cpu_share(self) -> float:
        """Return the minimum share of a run's time neither running nor queued."""
        return min(run.waited_s / run.wall_s if run.wall_s else 0.0 for run in self.native)

    @property
    def ends_by_time(self) -> bool:
        """Return whether the command seems to end after a time, not after an amount of work."""
        wall = statistics.median(run.wall_s for run in self.native)
        cpu = sum(run.cpu_s for run in self.native)
        slowdown = 1 + sum(run.queued_s for run in self.native) / cpu if cpu else 1.0
        low, high = EQUAL_TIME_RANGE
        native = self.cycles[0] * (1 - self.kernel_share) / self.prediction.instructions
        return (
            wall >= MIN_TIMED_S
            and max(self.kernel_share, self.off_cpu_share) < MIN_USER_SHARE
            and low * wall <= self.simulated_s <= high * wall + START_UP_S * slowdown
            and native > OTHER_WORK_FACTOR * self.prediction.cycles
        )


def measurement_of(run: ModelledRun) -> Measurement:
    """Return the modelled nodes, with intervals from the fastest to the median native run."""
    natives = [_native(cycles, run.kernel_share) for cycles in _ends(run.cycles)]
    instructions = run.prediction.instructions
    low, high = (shares(run.prediction.added, instructions, native) for native in natives)
    path, why = _bottleneck(run, low, high)
    model = run.model
    user = natives[0].user_cycles
    return Measurement(
        kind=Kind.MODELLED,
        source="model: native time, callgrind counts and an interval model of the pipeline",
        cpu=model.cpu if model else "unknown",
        title=model.title if model else "a CPU without a model",
        whole=1.0,
        nodes=_nodes(low, high),
        ipc=Ipc(instructions / user, float(instructions), user) if user else None,
        interval_label=f"fastest to median of {len(run.native)} native runs, without the error "
        "of the model",
        bottleneck=path or None,
        bottleneck_why=why,
        warnings=_warnings(run),
        facts=_facts(run),
    )


def _ends(cycles: list[float]) -> tuple[float, float]:
    return cycles[0], statistics.median(cycles)


def _native(cycles: float, kernel_share: float) -> NativeCycles:
    return NativeCycles(max(1.0, cycles * (1 - kernel_share)), cycles * kernel_share)


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
    run: ModelledRun, low: dict[str, float], high: dict[str, float]
) -> tuple[tuple[str, ...], str]:
    user = 1 - run.kernel_share
    if run.off_cpu_share > 1 - MIN_USER_SHARE:
        return (), (
            f"{run.off_cpu_share:.0%} of the time the command was off the CPU, "
            "which is not modelled"
        )
    if user < MIN_USER_SHARE:
        return (), (
            f"{run.kernel_share:.0%} of the CPU time was in the kernel, which is not modelled"
        )
    if run.ends_by_time:
        return (), "the simulated run did less work than the native runs"
    if run.prediction.known < MIN_KNOWN_SHARE:
        return (), "most of the executed instructions could not be disassembled"
    path = path_of(low, high)
    if not path:
        return (), "the two greatest nodes differ by less than the native runs"
    return path, "the greatest at each level, in the fastest and the median native run"


def _warnings(run: ModelledRun) -> tuple[str, ...]:
    warnings = list(run.caches.notes)
    if run.ends_by_time:
        warnings.append(
            "the command seems to end after a time and not after an amount of work: the simulated "
            "run took as long as the native ones; give it a fixed amount of work"
        )
    if run.prediction.known < 0.95:
        warnings.append(
            f"{1 - run.prediction.known:.0%} of the executed instructions could not be "
            "disassembled (generated, or in a deleted file); the others represent them"
        )
    if run.kernel_share > 0.1:
        warnings.append(
            f"{run.kernel_share:.0%} of the CPU time was in the kernel and is unexplained"
        )
    if run.off_cpu_share > 0.1:
        warnings.append(
            f"{run.off_cpu_share:.0%} of the time the command was off the CPU and used no slots"
        )
    if run.threads > 1:
        warnings.append(
            f"{run.threads} threads were simulated one at a time, without waits for each other "
            "and for cache lines of other cores"
        )
    if min(run.cpu_s for run in run.native) < MIN_CPU_S:
        warnings.append(
            "the native runs are too short for accurate times; give the command more work"
        )
    if not run.core.name:
        warnings.append("no constants of this CPU; common values are used")
    return tuple(warnings)


def _facts(run: ModelledRun) -> tuple[tuple[str, str], ...]:
    cpu = sorted(run.cpu_s for run in run.native)
    median = statistics.median(cpu)
    prediction = run.prediction
    native_cycles = run.cycles[0] * (1 - run.kernel_share) / prediction.instructions
    slower = run.simulated_s / max(1e-9, median)
    native = (
        f"{median:.3f} s median CPU time, {cpu[0]:.3f} to {cpu[-1]:.3f} s, in {len(cpu)} runs; "
        f"{run.kernel_share:.0%} of it in the kernel"
    )
    frequency = (
        f"{max(run.frequencies_hz) / 1e9:.2f} GHz, measured by dependent additions of one "
        "cycle each; cycles are time x frequency"
    )
    simulated = (
        f"{prediction.instructions} instructions in {run.simulated_s:.1f} s, {slower:.0f} "
        f"times the native time; {_sizes(run.caches)}"
    )
    anchor = (
        f"{native_cycles:.2f} cycles per instruction natively, {prediction.cycles:.2f} predicted"
    )
    return (
        ("command", run.command),
        ("native", native),
        ("frequency", frequency),
        ("simulated", simulated),
        ("anchor", anchor),
        ("latencies", _latencies(run)),
    )


def _sizes(caches: Caches) -> str:
    named = (("L1I", caches.l1i), ("L1D", caches.l1d), ("L2", caches.l2), ("L3", caches.l3))
    return ", ".join(f"{name} {cache.size_bytes // 1024} KiB" for name, cache in named if cache)


def _latencies(run: ModelledRun) -> str:
    host = run.host
    levels = zip(("L1", "L2", "L3", "DRAM"), host.load_cycles, strict=True)
    loads = ", ".join(f"{level} {cycles:.0f}" for level, cycles in levels)
    unmeasured = "" if run.two_levels else " (not measured beyond L1: too few misses)"
    mispredict = f"after a misprediction {host.mispredict_cycles:.0f}"
    return f"cycles of a load from {loads}{unmeasured}; {mispredict}"
