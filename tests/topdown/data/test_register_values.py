"""What arithmetic on pointers says about the object behind them."""

from topdown.data.data_types import DataType, TypeKind
from topdown.data.register_values import (
    ConstantValue,
    FrameValue,
    MultipleValue,
    PointerValue,
    added,
    added_constant,
    factor_of,
    merged,
    multiplied,
)

SLOT = DataType(TypeKind.STRUCTURE, "slot", 16)
OTHER = DataType(TypeKind.STRUCTURE, "other", 16)


def test_one_step_by_the_size_leaves_the_object() -> None:
    assert added_constant(PointerValue(SLOT), 16) == PointerValue(SLOT, 16)


def test_a_loop_that_steps_by_the_size_walks_an_array() -> None:
    walked = merged(PointerValue(SLOT), PointerValue(SLOT, 16))
    assert walked == PointerValue(SLOT, 0, in_array=True)
    assert added_constant(walked, 24) == PointerValue(SLOT, 8, in_array=True)


def test_an_index_that_is_a_multiple_of_the_size_stays_in_an_array() -> None:
    assert added(MultipleValue(32), PointerValue(SLOT, 8)) == PointerValue(SLOT, 8, in_array=True)
    assert added(PointerValue(SLOT), MultipleValue(4), scale=4) == PointerValue(SLOT, 0, True)


def test_an_index_of_another_size_gives_nothing() -> None:
    assert added(PointerValue(SLOT), MultipleValue(8)) is None
    assert added(PointerValue(SLOT), None) is None
    assert added(PointerValue(SLOT), PointerValue(SLOT)) is None


def test_pointers_of_two_types_give_nothing() -> None:
    assert merged(PointerValue(SLOT), PointerValue(OTHER)) is None
    assert merged(PointerValue(SLOT), PointerValue(SLOT, 8)) is None


def test_a_null_pointer_does_not_change_the_type() -> None:
    assert merged(ConstantValue(0), PointerValue(SLOT)) == PointerValue(SLOT)


def test_multiples_survive_additions_and_products() -> None:
    assert factor_of(multiplied(None, 16)) == 16
    assert factor_of(added(MultipleValue(16), MultipleValue(24))) == 8
    assert added_constant(MultipleValue(16), 4) == MultipleValue(4)
    assert merged(MultipleValue(16), ConstantValue(24)) == MultipleValue(8)
    assert multiplied(PointerValue(SLOT), 2) is None


def test_the_frame_is_followed_by_constants_only() -> None:
    assert added_constant(FrameValue(-8), -16) == FrameValue(-24)
    assert added(FrameValue(-8), MultipleValue(8)) is None
