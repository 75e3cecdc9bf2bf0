"""Predicted cycles by cause, from profiles and their binaries."""

from dataclasses import dataclass

from topdown.slots.modelled.callgrind_file import IR, CallgrindProfile
from topdown.slots.modelled.constants import Core
from topdown.slots.modelled.disassembly import disassemble
from topdown.slots.modelled.footprint import footprint
from topdown.slots.modelled.misses import MissSource
from topdown.slots.modelled.pipeline import ModelledHost, Pipeline, PipelineStall, live_causes
from topdown.slots.modelled.trace import TimedStep, timed_walks
from topdown.slots.modelled.walk import Walker

WALKS = 16
STEPS = 2500
WARM_UP = 500
HOT_SHARE = 0.995  # of executed instructions, which are disassembled
MAX_HOT = 500_000


@dataclass(frozen=True, slots=True)
class Prediction:
    """Cycles per instruction by cause; ``known`` is the share of disassembled instructions."""

    added: dict[PipelineStall, float]
    instructions: int
    known: float

    @property
    def cycles(self) -> float:
        """Return the cycles per instruction of all causes."""
        return sum(self.added.values())


def read_traces(
    far: CallgrindProfile, near: CallgrindProfile | None, core: Core
) -> tuple[list[list[TimedStep]], float]:
    """Return traces of the program, and the share of its instructions that they represent."""
    instructions = far.total(IR)
    lines = disassemble(far.objects, _hot(far, instructions))
    walker = Walker(far, lines)
    caches = footprint(far, core.operations_kept, core.targets_kept)
    program_traces = timed_walks(walker.walks(WALKS, STEPS), lines, MissSource(far, near), caches)
    return program_traces, walker.known_instructions / max(1, instructions)


def predict(
    steps: list[list[TimedStep]], core: Core, host: ModelledHost, *, instructions: int, known: float
) -> Prediction:
    """Return the cycles per instruction that each cause adds."""
    pipeline = Pipeline(core, host)
    with_warm_up = [(trace, min(WARM_UP, len(trace) // 5)) for trace in steps]
    timed = sum(len(trace) - warm_up for trace, warm_up in with_warm_up)
    added: dict[PipelineStall, float] = {}
    before = 0.0
    live = live_causes(steps)
    for cause in PipelineStall:
        if cause not in live:
            added[cause] = 0.0
            continue
        cycles = sum(pipeline.cycles(trace, warm_up, cause) for trace, warm_up in with_warm_up)
        total = max(before, cycles / timed) if timed else before
        added[cause] = total - before
        before = total
    return Prediction(added, instructions, known)


def _hot(profile: CallgrindProfile, instructions: int) -> dict[int, int]:
    """Return the most executed code addresses with their execution counts."""
    addresses = sorted(profile.costs, key=lambda address: -profile.costs[address][IR])
    remaining = instructions * HOT_SHARE
    hot = {}
    for address in addresses[:MAX_HOT]:
        hot[address] = profile.costs[address][IR]
        remaining -= profile.costs[address][IR]
        if remaining <= 0:
            break
    return hot
