"""Small programs written down as text and counts, whose walks and cycles are known beforehand."""

from topdown.slots.modelled.callgrind_file import EVENTS, CallgrindProfile
from topdown.slots.modelled.constants import Core, core_constants
from topdown.slots.modelled.disassembly import DisassemblyLine
from topdown.slots.modelled.footprint import footprint
from topdown.slots.modelled.misses import MissSource
from topdown.slots.modelled.pipeline import ModelledHost, Pipeline, PipelineStall
from topdown.slots.modelled.trace import TimedStep, timed_walks
from topdown.slots.modelled.walk import Step, Walker

START = 0x1000
SIZE = 4
HOST = ModelledHost(
    frequency_hz=4e9,
    load_cycles=(4.0, 14.0, 50.0, 300.0),
    dram_line_cycles=20.0,
    code_line_cycles=10.0,
    divide64_cycles=18.0,
    mispredict_cycles=15.0,
)
CORE: Core = core_constants("zen4", width=6)
TURNS = 1000


def at(number: int) -> int:
    """The code address of a program's instruction."""
    return START + SIZE * number


def loop(*texts: str, turns: int = TURNS) -> tuple[CallgrindProfile, dict[int, DisassemblyLine]]:
    """A loop of these instructions and a conditional jump back, executed N times."""
    profile = CallgrindProfile()
    lines = {}
    body = [*texts, "jne    1000"]
    for number, text in enumerate(body):
        profile.costs[at(number)] = [turns] + [0] * (len(EVENTS) - 1)
        profile.function_of[at(number)] = 0
        lines[at(number)] = DisassemblyLine(text, at(number + 1))
    back = at(len(texts))
    profile.jumps[back] = {START: turns}
    profile.conditional[back] = turns
    return profile, lines


def count(profile: CallgrindProfile, number: int, **events: int) -> None:
    """Set an instruction's events, as D1mr=5."""
    for event, value in events.items():
        profile.costs[at(number)][EVENTS.index(event)] = value


def walk_of(
    profile: CallgrindProfile, lines: dict[int, DisassemblyLine], length: int = 1200
) -> list[list[Step]]:
    return Walker(profile, lines).walks(1, length)


def steps_of(
    profile: CallgrindProfile,
    lines: dict[int, DisassemblyLine],
    near: CallgrindProfile | None = None,
    length: int = 1200,
) -> list[TimedStep]:
    kept = footprint(profile, CORE.operations_kept, CORE.targets_kept)
    walks = walk_of(profile, lines, length)
    return timed_walks(walks, lines, MissSource(profile, near), kept)[0]


def per_turn(
    steps: list[TimedStep],
    body: int,
    cause: PipelineStall = PipelineStall.MISPREDICTS,
    host: ModelledHost = HOST,
) -> float:
    """Cycles per iteration of a loop of N instructions, including its jump."""
    warm_up = len(steps) // 2 // body * body
    timed = (len(steps) - warm_up) // body * body
    return Pipeline(CORE, host).cycles(steps[: warm_up + timed], warm_up, cause) / (timed / body)
