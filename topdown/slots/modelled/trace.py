"""Traces for the pipeline model: the producers of each step's operands, and its misses.

Addresses are unknown, but their computation is known: register values are tracked as an origin plus
an offset. This identifies the store that wrote a loaded location, and loads with a constant stride,
which hardware prefetches.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from topdown.slots.modelled.constants import profile_thresholds
from topdown.slots.modelled.disassembly import DisassemblyLine
from topdown.slots.modelled.execution_units import ExecutionUnit
from topdown.slots.modelled.footprint import Footprint
from topdown.slots.modelled.instructions import FLAGS, Flow, Instruction
from topdown.slots.modelled.misses import L1, MissSource
from topdown.slots.modelled.walk import Step

MAX_LOCATIONS = 8192
LINE_BYTES = 64
_UNKNOWN = Instruction("(unknown)", ExecutionUnit.ALU, "integer")

Value = tuple[int, int]  # number of an origin and offset in bytes; origin 0 is the value 0
Location = tuple[int, int, int]  # origins of base and index, scale


@dataclass(slots=True)
class TimedStep:
    """A step for the pipeline; step numbers are those of its walk, -1 for none."""

    instruction: Instruction
    address_from: tuple[int, ...]
    needs: tuple[int, ...]
    forwarded_from: int
    line_from: int  # the earlier load that missed and fetches this line
    load_level: int
    store_level: int
    strided: bool
    mispredicted: bool
    code_level: int  # 1: hit in the first-level instruction cache
    jumped: bool
    decoded: bool  # not in the decoded-operation cache
    lost_target: bool  # the target of its jump is not kept
    fused: bool
    size_bytes: int


@dataclass(slots=True)
class Strides:
    """Strides of loads and stores between executions."""

    last: dict[int, tuple[Location, int, int]] = field(default_factory=dict)
    steady: dict[int, int] = field(default_factory=dict)
    executions: dict[int, int] = field(default_factory=dict)

    def add(self, address: int, location: Location, offset: int) -> None:
        """Add an execution of the load or store at this code address."""
        before = self.last.get(address)
        stride = 0
        if before is not None and before[0] == location:
            stride = offset - before[1]
        if before is not None:
            self.executions[address] = self.executions.get(address, 0) + 1
            if 0 < abs(stride) <= profile_thresholds().prefetched_stride_bytes:
                self.steady[address] = self.steady.get(address, 0) + 1
        self.last[address] = (location, offset, stride)

    def is_steady(self, address: int) -> bool:
        """Return whether most executions have a small constant stride."""
        executions = self.executions.get(address, 0)
        return (
            executions > 0
            and self.steady.get(address, 0) >= profile_thresholds().steady_share * executions
        )


def timed_walks(
    walks: Iterable[list[Step]],
    lines: dict[int, DisassemblyLine],
    misses: MissSource,
    footprint: Footprint,
) -> list[list[TimedStep]]:
    """Return the timed steps of walks."""
    strides = Strides()
    walk_list = list(walks)
    timed = [
        _ValueTracker(lines, misses, footprint, strides).timed_steps(walk) for walk in walk_list
    ]
    for walk, steps in zip(walk_list, timed, strict=True):
        for step, timed_step in zip(walk, steps, strict=True):
            timed_step.strided = strides.is_steady(step.address)
    return timed


class _ValueTracker:
    """The values of registers and memory along one walk."""

    def __init__(
        self,
        lines: dict[int, DisassemblyLine],
        misses: MissSource,
        footprint: Footprint,
        strides: Strides,
    ) -> None:
        self._lines = lines
        self._misses = misses
        self._footprint = footprint
        self._strides = strides
        strides.last.clear()
        self._producer: dict[str, int] = {}
        self._values: dict[str, Value] = {}
        self._origins = 0
        self._stores: dict[tuple[Location, int], tuple[int, int, Value]] = {}
        self._missed: dict[Location, tuple[int, int]] = {}

    def timed_steps(self, walk: list[Step]) -> list[TimedStep]:
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
        location, offset = self._location(instruction)
        touches = instruction.loads or instruction.stores
        through = instruction.memory.registers if instruction.memory is not None else ()
        reads = instruction.reads if touches else (*instruction.reads, *through)
        forwarded, value = -1, None
        if touches and instruction.flow is not Flow.CALL:
            self._strides.add(address, location, offset)
        if instruction.loads:
            forwarded, value = self._forwarded(instruction, location, offset)
        level = self._misses.load_level(address) if instruction.loads else 0
        timed = TimedStep(
            instruction,
            self._producers(through) if touches else (),
            self._producers(reads),
            forwarded,
            self._line(number, location, offset, level),
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
        self._write(number, instruction, value, (location, offset))
        return timed

    def _producers(self, registers: Iterable[str]) -> tuple[int, ...]:
        producers = {self._producer.get(register, -1) for register in registers}
        producers.discard(-1)
        return tuple(producers)

    def _value(self, register: str) -> Value:
        value = self._values.get(register)
        if value is None:
            value = self._values[register] = self._fresh()
        return value

    def _fresh(self) -> Value:
        self._origins += 1
        return self._origins, 0

    def _location(self, instruction: Instruction) -> tuple[Location, int]:
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

    def _line(self, number: int, location: Location, offset: int, level: int) -> int:
        """Return the step that missed on the same line, and remember this step if it missed."""
        if level > L1:
            if len(self._missed) > MAX_LOCATIONS:
                self._missed.clear()
            self._missed[location] = number, offset
            return -1
        missed, missed_offset = self._missed.get(location, (-1, 0))
        return missed if level == L1 and abs(offset - missed_offset) < LINE_BYTES else -1

    def _forwarded(
        self, instruction: Instruction, location: Location, offset: int
    ) -> tuple[int, Value | None]:
        """Return the step that stored the loaded value, and the value, if both are known."""
        stored = self._stores.get((location, offset))
        if stored is None:
            return -1, None
        number, size, value = stored
        needed_bytes = instruction.memory.size_bytes if instruction.memory is not None else 0
        if needed_bytes > size:
            return -1, None
        return number, value

    def _write(
        self,
        number: int,
        instruction: Instruction,
        loaded: Value | None,
        target: tuple[Location, int],
    ) -> None:
        result = self._known_result(instruction, loaded)
        stored = self._stored(instruction)
        for register in instruction.writes:
            self._producer[register] = number
            if register != FLAGS:
                self._values[register] = self._fresh()
        if result is not None:
            self._values[result[0]] = result[1]
        if instruction.stack_bytes:
            origin, offset = self._value("rsp")
            self._values["rsp"] = origin, offset + instruction.stack_bytes
        if instruction.stores and instruction.memory is not None:
            if len(self._stores) > MAX_LOCATIONS:
                self._stores.clear()
            self._stores[target] = number, instruction.memory.size_bytes or 8, stored

    def _known_result(
        self, instruction: Instruction, loaded: Value | None
    ) -> tuple[str, Value] | None:
        """Return the register with a known new value, and the value."""
        if instruction.moves is not None:
            target, source, added = instruction.moves
            origin, offset = self._value(source)
            return target, (origin, offset + added)
        if instruction.sets is not None:
            return instruction.sets[0], (0, instruction.sets[1])
        if loaded is not None and _only_loads(instruction):
            return instruction.writes[0], loaded
        return None

    def _stored(self, instruction: Instruction) -> Value:
        if instruction.stores and _only_stores(instruction):
            return self._value(instruction.reads[0])
        return self._fresh()


def _only_stores(instruction: Instruction) -> bool:
    return instruction.mnemonic in ("mov", "push") and len(instruction.reads) == 1


def _only_loads(instruction: Instruction) -> bool:
    return instruction.mnemonic in ("mov", "pop", "movsxd") and len(instruction.writes) == 1


_FUSING = {"cmp", "test", "add", "sub", "and", "inc", "dec", "or", "xor"}


def _fuses(before: Instruction | None, instruction: Instruction) -> bool:
    """Return whether a conditional jump fuses with the comparison before it."""
    return (
        before is not None
        and instruction.flow is Flow.CONDITIONAL
        and before.mnemonic in _FUSING
        and not before.stores
    )
