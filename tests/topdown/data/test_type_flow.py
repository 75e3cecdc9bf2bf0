"""How values flow through a function."""

import pytest

from topdown.data.data_types import DataType, DataTypes, Member, TypeKind
from topdown.data.operations import (
    AddConstant,
    Call,
    Copy,
    Instruction,
    Load,
    MemoryOperand,
    Operation,
    Store,
)
from topdown.data.type_flow import STACK, TypeFlow
from topdown.data.variables import FunctionVariables, RegisterPlace
from topdown.data.x86_operations import CONVENTION

NUMBER = DataType(TypeKind.SCALAR, "long", 8)
SLOT = DataType(
    TypeKind.STRUCTURE, "slot", 16, members=(Member(0, "key", NUMBER), Member(8, "value", NUMBER))
)
RAX, RBX, RDI, RSP = 0, 3, 5, CONVENTION.stack_pointer
READS_VALUE = Load(None, MemoryOperand(RBX, displacement=8), 8)


def flow_of(*instructions: tuple[list[Operation], int | None]) -> TypeFlow:
    """The analysis of a function whose parameter in RDI is a pointer to a slot."""
    code = [
        Instruction(address, tuple(operations), reads_data=True, jump=jump, falls_through=True)
        for address, (operations, jump) in enumerate(instructions)
    ]
    variables = FunctionVariables([(0, 1, RegisterPlace(RDI, SLOT))])
    flow = TypeFlow(code, variables, [], DataTypes(None), CONVENTION, {})  # type: ignore[arg-type]
    flow.run(at_entry=True)
    return flow


def name_at(flow: TypeFlow, address: int) -> str | None:
    name = flow.accessed(address)
    return None if name is None else name.text


def test_a_copied_pointer_keeps_its_type() -> None:
    flow = flow_of(([Copy(RBX, RDI)], None), ([READS_VALUE], None))
    assert name_at(flow, 1) == "slot.value"


def test_a_call_overwrites_some_registers() -> None:
    kept = flow_of(([Copy(RBX, RDI)], None), ([Call(None)], None), ([READS_VALUE], None))
    assert name_at(kept, 2) == "slot.value"
    lost = Load(None, MemoryOperand(RAX), 8)
    flow = flow_of(([Copy(RAX, RDI)], None), ([Call(None)], None), ([lost], None))
    assert name_at(flow, 2) is None


def test_a_pointer_that_was_stored_in_the_frame_is_loaded_again() -> None:
    slot = MemoryOperand(RSP, displacement=-16)
    flow = flow_of(
        ([Store(slot, RDI, 8)], None), ([Load(RBX, slot, 8)], None), ([READS_VALUE], None)
    )
    assert name_at(flow, 1) == STACK
    assert name_at(flow, 2) == "slot.value"


def test_a_loop_over_an_array_keeps_the_type() -> None:
    flow = flow_of(
        ([Copy(RBX, RDI)], None), ([READS_VALUE], None), ([AddConstant(RBX, RBX, 16)], 1)
    )
    assert name_at(flow, 1) == "slot.value"


def test_a_loop_that_steps_by_part_of_an_object_gives_nothing() -> None:
    flow = flow_of(([Copy(RBX, RDI)], None), ([READS_VALUE], None), ([AddConstant(RBX, RBX, 8)], 1))
    assert name_at(flow, 1) is None


@pytest.mark.parametrize(("address", "sources"), [(0, []), (1, [0, 2]), (2, [1]), (9, [])])
def test_predecessors_are_the_instruction_before_and_jumps(
    address: int, sources: list[int]
) -> None:
    flow = flow_of(([], None), ([], None), ([], 1))
    assert flow.predecessors(address) == sources
