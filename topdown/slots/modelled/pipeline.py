"""An out-of-order pipeline, modelled by its limits: width, units, latencies, window, fetch.

One pass over a trace gives its cycles with some causes of waiting enabled; the cycles that a cause
adds to the causes before it are its share (interval analysis: Eyerman, Eeckhout, Karkhanis and
Smith, A Mechanistic Performance Model for Superscalar Out-of-Order Processors, 2009). A pass takes
one to two microseconds per step.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from topdown.slots.modelled.constants import Core
from topdown.slots.modelled.execution_units import ExecutionUnit
from topdown.slots.modelled.misses import DRAM, L1, L2, L3
from topdown.slots.modelled.trace import TimedStep


class PipelineStall(IntEnum):
    """Causes of waiting, in the order in which they are enabled.

    Beyond the first level the farthest comes first: cycles in which loads of two levels overlap
    belong to the farther one, as vendors count them (Intel's L3_Bound is stalls with a pending miss
    of the second level minus those with one of the third).
    """

    WIDTH = 0
    UNITS = 1
    DEPENDENCY = 2
    DIVIDER = 3
    L1_LATENCY = 4
    DRAM_LATENCY = 5
    DRAM_BANDWIDTH = 6
    L3_LATENCY = 7
    L2_LATENCY = 8
    FETCH_LATENCY = 9
    FETCH_BANDWIDTH = 10
    MISPREDICTS = 11


@dataclass(frozen=True, slots=True)
class ModelledHost:
    """Measured times of the host, in core cycles."""

    frequency_hz: float
    load_cycles: tuple[float, float, float, float]  # of dependent loads, levels 1 to 4
    dram_line_cycles: float
    code_line_cycles: float  # of the next line of code from beyond the second level
    divide64_cycles: float
    mispredict_cycles: float


_BEYOND_L1 = PipelineStall.DRAM_LATENCY  # the first cause that needs fill buffers
_DIVIDES = {ExecutionUnit.DIVIDE, ExecutionUnit.FP_DIVIDE}
_AT_LEVEL: dict[int, set[PipelineStall]] = {
    0: set(),
    L1: set(),
    L2: {PipelineStall.L2_LATENCY},
    L3: {PipelineStall.L3_LATENCY},
    DRAM: {PipelineStall.DRAM_LATENCY, PipelineStall.DRAM_BANDWIDTH},
}


def live_causes(traces: Sequence[Sequence[TimedStep]]) -> set[PipelineStall]:
    """Return the causes that can occur in these traces."""
    live = {PipelineStall.WIDTH, PipelineStall.UNITS, PipelineStall.DEPENDENCY}
    for trace in traces:
        for step in trace:
            if step.load_level:
                live.add(PipelineStall.L1_LATENCY)
            live |= _AT_LEVEL[max(step.load_level, step.store_level)]
            if step.instruction.unit in _DIVIDES:
                live.add(PipelineStall.DIVIDER)
            if step.code_level > L1 or step.lost_target:
                live.add(PipelineStall.FETCH_LATENCY)
            if step.jumped or step.decoded:
                live.add(PipelineStall.FETCH_BANDWIDTH)
            if step.mispredicted:
                live.add(PipelineStall.MISPREDICTS)
    return live


class Pipeline:
    """Simulates traces on one core."""

    def __init__(self, core: Core, host: ModelledHost) -> None:
        """Use the documented limits of the core and its measured times."""
        self._core = core
        self._host = host
        self._latencies = dict(core.latencies) | {"divide64": host.divide64_cycles}

    def cycles(self, steps: Sequence[TimedStep], warm_up: int, cause: PipelineStall) -> float:
        """Return the cycles of the steps after the warm-up, with causes up to this one enabled."""
        run = _PipelinePass(self._core, self._host, self._latencies, cause)
        start = 0.0
        for number, step in enumerate(steps):
            run.execute(number, step)
            if number + 1 == warm_up:
                start = run.retired
        return run.retired - start


def _load_cycles(host: ModelledHost, cause: PipelineStall) -> list[float]:
    """Return the cycles of a load from each level; disabled levels are as fast as the first."""
    first, *further = host.load_cycles
    if cause < PipelineStall.L1_LATENCY:
        return [0.0] * len(host.load_cycles)
    causes = (PipelineStall.L2_LATENCY, PipelineStall.L3_LATENCY, PipelineStall.DRAM_LATENCY)
    levels = zip(further, causes, strict=True)
    return [first, *(cycles if cause >= needed else first for cycles, needed in levels)]


class _PipelinePass:
    """One pass. Times are in cycles; ``done`` holds the completion time of each step."""

    def __init__(
        self, core: Core, host: ModelledHost, latencies: dict[str, float], cause: PipelineStall
    ) -> None:
        self._core = core
        self._latencies = latencies
        self._cause = cause
        self._loads = _load_cycles(host, cause)
        near = cause >= PipelineStall.L1_LATENCY
        self._forward = core.forward_cycles if near else 0.0
        self._stack_forward = core.stack_forward_cycles if near else 0.0
        self._vector_load = core.vector_load_cycles if near else 0.0
        self._lines = (0.0, core.line_cycles["l2"], core.line_cycles["l3"], host.dram_line_cycles)
        self._code = (0.0, *host.load_cycles[1:])
        far_line = host.code_line_cycles
        self._code_lines = (0.0, far_line * core.code_line_l2_share, far_line, far_line * 2)
        self._restart = host.mispredict_cycles
        self._slot = 1 / core.width
        self._fetched = 0.0
        self._dispatched = 0.0
        self.retired = 0.0
        self._dispatches: list[float] = []
        self._retires: list[float] = []
        self._done: list[float] = []
        self._arrivals: defaultdict[int, float] = defaultdict(float)  # of lines, by step
        self._busy: dict[ExecutionUnit | str, dict[int, int]] = {}
        self._fills = [0.0] * core.fill_buffers
        self._fill = 0
        self._channels = [0.0] * 4
        self._stores = [0.0] * core.store_buffer
        self._store = 0
        self._busy_share = {
            ExecutionUnit.DIVIDE: core.divider_busy_share,
            ExecutionUnit.FP_DIVIDE: core.fp_divider_busy_share,
        }
        self._divider_free = {ExecutionUnit.DIVIDE: 0.0, ExecutionUnit.FP_DIVIDE: 0.0}

    def execute(self, number: int, step: TimedStep) -> None:
        """Execute the next step."""
        slots = 0.0 if step.fused else self._slot
        if step.instruction.repeats:
            slots = step.instruction.element_bytes / self._core.repeat_bytes
        dispatch = self._dispatch(number, step, slots)
        done = self._execute(step, dispatch)
        self._done.append(done)
        if step.mispredicted and self._cause >= PipelineStall.MISPREDICTS:
            self._fetched = max(self._fetched, done + self._restart)
        if step.store_level:
            done = max(done, self._stores[self._store])
            self._stores[self._store] = self._store_done(step, done)
            self._store = (self._store + 1) % len(self._stores)
        self.retired = max(self.retired + slots, done)
        self._retires.append(self.retired)

    def _dispatch(self, number: int, step: TimedStep, slots: float) -> float:
        core = self._core
        if number >= core.queue:
            self._fetched = max(self._fetched, self._dispatches[number - core.queue])
        if self._cause >= PipelineStall.FETCH_LATENCY:
            self._fetched += self._fetch_latency(step)
        delivery = slots
        if self._cause >= PipelineStall.FETCH_BANDWIDTH:
            if step.decoded:
                delivery = max(slots, 1 / core.decode_width, step.size_bytes / core.fetch_bytes)
            if step.jumped and not step.lost_target:
                delivery += core.jump_cycles
        self._fetched += delivery
        dispatch = max(self._fetched, self._dispatched + slots)
        if number >= core.window:
            dispatch = max(dispatch, self._retires[number - core.window])
        self._dispatched = dispatch
        self._dispatches.append(dispatch)
        return dispatch

    def _fetch_latency(self, step: TimedStep) -> float:
        """Return the cycles without fetch before this step."""
        lost = self._core.lost_target_cycles if step.lost_target else 0.0
        if step.code_level == L1:
            return lost
        if not step.jumped:
            return self._code_lines[step.code_level - 1]
        exposed = 1.0 if step.lost_target else self._core.code_miss_exposed
        return lost + self._code[step.code_level - 1] * exposed

    def _execute(self, step: TimedStep, dispatch: float) -> float:
        """Return the completion time of the step."""
        if self._cause < PipelineStall.UNITS:
            return dispatch
        ready = dispatch
        if step.instruction.repeats:
            return self._load(step, ready) if step.load_level else ready
        if step.load_level or step.store_level:
            ready = self._after(step.address_from, ready)
            if step.load_level:
                ready = self._load(step, self._issue("load", ready))
                if step.load_level > L1 and self._cause >= _BEYOND_L1:
                    self._arrivals[len(self._done)] = ready
            else:
                self._issue("store", ready)
        return self._compute(step, self._after(step.needs, ready))

    def _compute(self, step: TimedStep, ready: float) -> float:
        """Return the completion time on the execution unit, for operands ready at this time."""
        unit = step.instruction.unit
        if unit is ExecutionUnit.NONE:
            return ready
        started = self._issue(unit, ready)
        latency = self._latencies[step.instruction.timing]
        if self._cause < PipelineStall.DEPENDENCY:
            return started
        if unit not in _DIVIDES:
            return started + latency
        if self._cause < PipelineStall.DIVIDER:
            return started + 1
        started = max(started, self._divider_free[unit])
        self._divider_free[unit] = started + latency * self._busy_share[unit]
        return started + latency

    def _after(self, producers: tuple[int, ...], ready: float) -> float:
        if self._cause >= PipelineStall.DEPENDENCY:
            for producer in producers:
                ready = max(ready, self._done[producer])
        return ready

    def _load(self, step: TimedStep, started: float) -> float:
        extra = self._vector_load if step.instruction.into_vector else 0.0
        if step.forwarded_from >= 0 and self._cause >= PipelineStall.DEPENDENCY:
            latency = extra + (
                self._stack_forward if step.instruction.from_stack else self._forward
            )
            return max(started, self._done[step.forwarded_from]) + latency
        level = step.load_level
        if level == L1:
            line = self._arrivals[step.line_from] if step.line_from >= 0 else 0.0
            return max(started + self._loads[0], line) + extra
        if step.strided:
            return max(started + self._loads[0], self._transferred(level, started, 1)) + extra
        latency = self._loads[level - 1] + extra
        if self._cause < _BEYOND_L1:
            return started + latency
        fill_start = max(started, self._fills[self._fill])
        done = max(fill_start + latency, self._transferred(level, fill_start, 1))
        self._fills[self._fill] = done
        self._fill = (self._fill + 1) % len(self._fills)
        return done

    def _transferred(self, level: int, started: float, lines: int) -> float:
        """Return the time at which this many more lines have arrived from this level."""
        needed = {
            L2: PipelineStall.L2_LATENCY,
            L3: PipelineStall.L3_LATENCY,
            DRAM: PipelineStall.DRAM_BANDWIDTH,
        }[level]
        if self._cause < needed:
            return started
        free = max(self._channels[level - 1], started - self._core.prefetch_ahead_cycles)
        self._channels[level - 1] = free + lines * self._lines[level - 1]
        return self._channels[level - 1]

    def _store_done(self, step: TimedStep, done: float) -> float:
        level = step.store_level
        if level == L1 or self._cause < _BEYOND_L1:
            return done
        moved = self._transferred(level, done, 2 if level == DRAM else 1)
        if step.strided:
            return max(done, moved)
        fill_start = max(done, self._fills[self._fill])
        finished = max(fill_start + self._loads[level - 1], moved)
        self._fills[self._fill] = finished
        self._fill = (self._fill + 1) % len(self._fills)
        return finished

    def _issue(self, unit: ExecutionUnit | str, ready: float) -> float:
        """Return the first time from now at which a unit of this kind is free."""
        if unit not in self._core.units:
            return ready
        count = self._core.units[unit]
        busy = self._busy.setdefault(unit, {})
        cycle = int(ready)
        while busy.get(cycle, 0) >= count:
            cycle += 1
        busy[cycle] = busy.get(cycle, 0) + 1
        return max(ready, float(cycle))
