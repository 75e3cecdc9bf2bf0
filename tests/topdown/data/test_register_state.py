"""What is known where paths meet, and what operations compute."""

from topdown.data.data_types import DataType, TypeKind
from topdown.data.operations import Choose, Copy, MemoryOperand, Overwrite, SetAddress
from topdown.data.register_state import RegisterState, address_of, base_and_index, computed
from topdown.data.register_values import (
    ConstantValue,
    FrameValue,
    MultipleValue,
    PointerValue,
)

SLOT = DataType(TypeKind.STRUCTURE, "slot", 16)
A, B = 0, 1


def test_only_what_holds_on_both_paths_remains() -> None:
    state = RegisterState({A: PointerValue(SLOT), B: FrameValue(8)}, {-8: PointerValue(SLOT)})
    assert state.merge(RegisterState({A: PointerValue(SLOT)}, {}))
    assert state == RegisterState({A: PointerValue(SLOT)}, {})
    assert not state.merge(RegisterState({A: PointerValue(SLOT), B: ConstantValue(1)}, {}))


def test_operations_compute_values_of_registers() -> None:
    state = RegisterState({A: PointerValue(SLOT)})
    assert computed(state, Copy(B, A)) == PointerValue(SLOT)
    assert computed(state, Overwrite(A)) is None
    assert computed(state, Choose(A, B)) is None
    address = SetAddress(B, MemoryOperand(A, displacement=8))
    assert computed(state, address) == PointerValue(SLOT, 8)


def test_an_address_has_the_value_of_base_and_index() -> None:
    state = RegisterState({A: PointerValue(SLOT), B: MultipleValue(4)})
    assert address_of(state, MemoryOperand(A, B, 4, 8)) == PointerValue(SLOT, 8, in_array=True)
    assert address_of(state, MemoryOperand(A, B, 1)) is None
    assert address_of(state, MemoryOperand(None, displacement=4096)) == ConstantValue(4096)
    assert address_of(state, MemoryOperand(None, displacement=40, known=False)) is None


def test_a_pointer_in_an_unscaled_index_is_the_base() -> None:
    state = RegisterState({A: MultipleValue(16), B: PointerValue(SLOT)})
    base, index = base_and_index(state, MemoryOperand(A, B))
    assert (base, index) == (PointerValue(SLOT), MultipleValue(16))
