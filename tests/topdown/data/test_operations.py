"""Every kind of operation is known to the analysis."""

from typing import get_args

import pytest

from topdown.data.operations import (
    AddConstant,
    AddRegisters,
    Call,
    Choose,
    Computation,
    Copy,
    Load,
    MemoryOperand,
    Multiply,
    Operation,
    Overwrite,
    SetAddress,
    SetConstant,
    SetMultiple,
    Store,
)
from topdown.data.register_state import RegisterState, computed
from topdown.data.register_values import ConstantValue, MultipleValue

KNOWN = RegisterState({1: ConstantValue(6), 2: MultipleValue(4)})
RESULTS = [
    (Copy(0, 1), ConstantValue(6)),
    (SetConstant(0, 9), ConstantValue(9)),
    (SetAddress(0, MemoryOperand(1, displacement=2)), ConstantValue(8)),
    (AddConstant(0, 1, -1), ConstantValue(5)),
    (AddRegisters(0, 1, 2), MultipleValue(2)),
    (Multiply(0, 1, 3), ConstantValue(18)),
    (SetMultiple(0, 8), MultipleValue(8)),
    (Choose(1, 2), MultipleValue(2)),
    (Overwrite(0), None),
]


@pytest.mark.parametrize(("operation", "value"), RESULTS)
def test_a_computation_has_a_result(operation: Computation, value: object) -> None:
    assert computed(KNOWN, operation) == value


def test_no_kind_of_operation_is_missing_here() -> None:
    assert {type(operation) for operation, _ in RESULTS} == set(get_args(Computation))
    assert set(get_args(Operation)) - set(get_args(Computation)) == {Load, Store, Call}
