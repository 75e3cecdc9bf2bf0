"""Walks made ready for timing: for each step, who makes what it needs, and what it missed.

Addresses are not known, but how they are made is: registers are followed as "that value plus so
many bytes". So a load finds the store before it that wrote the same place, and a load whose place
moves on by a constant is known for one that hardware prefetches.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from topdown.slots.modelled.constants import evidence
from topdown.slots.modelled.disassembly import Line
from topdown.slots.modelled.execution_units import Unit
from topdown.slots.modelled.footprint import Footprint
from topdown.slots.modelled.instructions import FLAGS, Flow, Instruction
from topdown.slots.modelled.misses import L1, MissSource
from topdown.slots.modelled.walk import Step

MOST_PLACES = 8192
LINE_BYTES = 64
_UNKNOWN = Instruction("(unknown)", Unit.ALU, "integer")

Value = tuple[int, int]  # an origin's number, and bytes beyond it; origin 0 is zero itself
Place = tuple[int, int, int]  # origins of base and index, scale


@dataclass(slots=True)
class TimedStep:
    """One step as the pipeline sees it; numbers of steps are those of its walk, -1 for none."""

    instruction: Instruction
    address_from: tuple[int, ...]
    needs: tuple[int, ...]
    forwarded_from: int
    line_from: int  # the load before it that missed, and brings the line that this one hits
    load_level: int
    store_level: int
    strided: bool
    mispredicted: bool
    code_level: int  # 1: the first-level instruction cache has it
    jumped: bool
    decoded: bool  # not from the cache of decoded operations
    lost_target: bool  # its jump is beyond the branch targets that are kept
    fused: bool
    size_bytes: int


@dataclass(slots=True)
class Strides:
    """How each load's place moved from turn to turn."""

    last: dict[int, tuple[Place, int, int]] = field(default_factory=dict)
    steady: dict[int, int] = field(default_factory=dict)
    turns: dict[int, int] = field(default_factory=dict)

    def seen(self, address: int, place: Place, offset: int) -> None:
        """Take note of one turn of the load or store at this code address."""
        before = self.last.get(address)
        stride = 0
        if before is not None and before[0] == place:
            stride = offset - before[1]
        if before is not None:
            self.turns[address] = self.turns.get(address, 0) + 1
            if 0 < abs(stride) <= evidence().prefetched_stride_bytes:
                self.steady[address] = self.steady.get(address, 0) + 1
        self.last[address] = (place, offset, stride)

    def is_steady(self, address: int) -> bool:
        """Return whether most turns moved on by a few bytes."""
        turns = self.turns.get(address, 0)
        return turns > 0 and self.steady.get(address, 0) >= evidence().steady_share * turns


def traces(
    walks: Iterable[list[Step]], lines: dict[int, Line], misses: MissSource, footprint: Footprint
) -> list[list[TimedStep]]:
    """Return the walks' steps ready for timing."""
    strides = Strides()
    kept = list(walks)
    found = [_Tracker(lines, misses, footprint, strides).follow(walk) for walk in kept]
    for walk, steps in zip(kept, found, strict=True):
        for step, timed in zip(walk, steps, strict=True):
            timed.strided = strides.is_steady(step.address)
    return found


class _Tracker:
    """What is known of registers and memory along one walk."""

    def __init__(
        self, lines: dict[int, Line], misses: MissSource, footprint: Footprint, strides: Strides
    ) -> None:
        self._lines = lines
        self._misses = misses
        self._footprint = footprint
        self._strides = strides
        strides.last.clear()
        self._maker: dict[str, int] = {}
        self._values: dict[str, Value] = {}
        self._origins = 0
        self._stores: dict[tuple[Place, int], tuple[int, int, Value]] = {}
        self._missed: dict[Place, tuple[int, int]] = {}

    def follow(self, walk: list[Step]) -> list[TimedStep]:
        steps: list[TimedStep] = []
        before: Instruction | None = None
        for number, step in enumerate(walk):
            line = self._lines.get(step.address)
            instruction = _UNKNOWN if line is None else line.instruction
            size = 4 if line is None else line.following - step.address
            fused = _fuses(before, instruction) and not step.jumped
            steps.append(self._step(number, step, instruction, size if 0 < size < 16 else 4))
            steps[-1].fused = fused
            before = instruction
        return steps

    def _step(self, number: int, step: Step, instruction: Instruction, size: int) -> TimedStep:
        address = step.address
        place, offset = self._place(instruction)
        touches = instruction.loads or instruction.stores
        through = instruction.memory.registers if instruction.memory is not None else ()
        reads = instruction.reads if touches else (*instruction.reads, *through)
        forwarded, value = -1, None
        if touches and instruction.flow is not Flow.CALL:
            self._strides.seen(address, place, offset)
        if instruction.loads:
            forwarded, value = self._forwarded(instruction, place, offset)
        level = self._misses.load_level(address) if instruction.loads else 0
        timed = TimedStep(
            instruction,
            self._makers(through) if touches else (),
            self._makers(reads),
            forwarded,
            self._line(number, place, offset, level),
            level,
            self._misses.store_level(address) if instruction.stores else 0,
            strided=False,
            mispredicted=self._misses.mispredicted(address, instruction),
            code_level=self._misses.code_level(address),
            jumped=step.jumped,
            decoded=self._footprint.is_decoded(address),
            lost_target=step.jumped and self._footprint.loses_target(address),
            fused=False,
            size_bytes=size,
        )
        self._write(number, instruction, value, (place, offset))
        return timed

    def _makers(self, registers: Iterable[str]) -> tuple[int, ...]:
        makers = {self._maker.get(register, -1) for register in registers}
        makers.discard(-1)
        return tuple(makers)

    def _value(self, register: str) -> Value:
        value = self._values.get(register)
        if value is None:
            value = self._values[register] = self._fresh()
        return value

    def _fresh(self) -> Value:
        self._origins += 1
        return self._origins, 0

    def _place(self, instruction: Instruction) -> tuple[Place, int]:
        memory = instruction.memory
        if memory is None:
            return (0, 0, 0), 0
        base, index = (0, 0), (0, 0)
        if memory.base and memory.base != "rip":
            base = self._value(memory.base)
        if memory.index:
            index = self._value(memory.index)
        offset = base[1] + index[1] * memory.scale + memory.displacement
        return (base[0], index[0], memory.scale if index[0] else 1), offset

    def _line(self, number: int, place: Place, offset: int, level: int) -> int:
        """Return the step that missed on what is likely the same line; keep this one if it did."""
        if level > L1:
            if len(self._missed) > MOST_PLACES:
                self._missed.clear()
            self._missed[place] = number, offset
            return -1
        missed, there = self._missed.get(place, (-1, 0))
        return missed if level == L1 and abs(offset - there) < LINE_BYTES else -1

    def _forwarded(
        self, instruction: Instruction, place: Place, offset: int
    ) -> tuple[int, Value | None]:
        """Return the step that stored what is loaded, and the value, where both are known."""
        stored = self._stores.get((place, offset))
        if stored is None:
            return -1, None
        number, size, value = stored
        wanted = instruction.memory.size_bytes if instruction.memory is not None else 0
        if wanted > size:
            return -1, None
        return number, value

    def _write(
        self, number: int, instruction: Instruction, loaded: Value | None, at: tuple[Place, int]
    ) -> None:
        known = self._known_result(instruction, loaded)
        stored = self._stored(instruction)
        for register in instruction.writes:
            self._maker[register] = number
            if register != FLAGS:
                self._values[register] = self._fresh()
        if known is not None:
            self._values[known[0]] = known[1]
        if instruction.stack_bytes:
            origin, offset = self._value("rsp")
            self._values["rsp"] = origin, offset + instruction.stack_bytes
        if instruction.stores and instruction.memory is not None:
            if len(self._stores) > MOST_PLACES:
                self._stores.clear()
            self._stores[at] = number, instruction.memory.size_bytes or 8, stored

    def _known_result(
        self, instruction: Instruction, loaded: Value | None
    ) -> tuple[str, Value] | None:
        """Return the register whose new value is known, and that."""
        if instruction.moves is not None:
            into, source, added = instruction.moves
            origin, offset = self._value(source)
            return into, (origin, offset + added)
        if instruction.sets is not None:
            return instruction.sets[0], (0, instruction.sets[1])
        if loaded is not None and _just_loads(instruction):
            return instruction.writes[0], loaded
        return None

    def _stored(self, instruction: Instruction) -> Value:
        if instruction.stores and _just_stores(instruction):
            return self._value(instruction.reads[0])
        return self._fresh()


def _just_stores(instruction: Instruction) -> bool:
    return instruction.mnemonic in ("mov", "push") and len(instruction.reads) == 1


def _just_loads(instruction: Instruction) -> bool:
    return instruction.mnemonic in ("mov", "pop", "movsxd") and len(instruction.writes) == 1


_FUSING = {"cmp", "test", "add", "sub", "and", "inc", "dec", "or", "xor"}


def _fuses(before: Instruction | None, instruction: Instruction) -> bool:
    """Return whether a conditional jump is one operation with the comparison before it."""
    return (
        before is not None
        and instruction.flow is Flow.CONDITIONAL
        and before.mnemonic in _FUSING
        and not before.stores
    )
