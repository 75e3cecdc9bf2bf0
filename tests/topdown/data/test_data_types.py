"""Types and the fields at offsets in them."""

import pytest
from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.dwarfinfo import DWARFInfo

from topdown.data.data_types import DataType, DataTypes, TypeKind, unit_variables


@pytest.fixture
def types(dwarf: DWARFInfo) -> DataTypes:
    """The types of the program."""
    return DataTypes(dwarf)


@pytest.fixture
def customer(types: DataTypes, unit: CompileUnit) -> DataType:
    """The type of the elements of the variable `everybody`."""
    array = types.of(
        next(
            variable
            for variable in unit_variables(unit)
            if variable.attributes["DW_AT_name"].value == b"everybody"
        )
    )
    assert array is not None
    assert (array.kind, array.size) == (TypeKind.ARRAY, 16 * 32)
    element = types.target(array)
    assert element is not None
    return element


def test_members_have_offsets_and_types(customer: DataType) -> None:
    assert (customer.name, customer.size) == ("customer", 32)
    members = [(member.name, member.offset, member.type.kind) for member in customer.members]
    assert members == [
        ("name", 0, TypeKind.ARRAY),
        ("first", 16, TypeKind.POINTER),
        ("balance", 24, TypeKind.SCALAR),
    ]


@pytest.mark.parametrize(
    ("offset", "size", "path"),
    [(0, 1, "name[]"), (16, 8, "first"), (24, 8, "balance"), (16, 16, ""), (0, 16, "name")],
)
def test_the_field_is_the_innermost_that_contains_the_bytes(
    types: DataTypes, customer: DataType, offset: int, size: int, path: str
) -> None:
    place = types.field_at(customer, offset, size)
    assert place is not None
    assert place.path == path


@pytest.mark.parametrize(("offset", "size"), [(-8, 8), (32, 8), (28, 8)])
def test_bytes_outside_of_the_object_have_no_field(
    types: DataTypes, customer: DataType, offset: int, size: int
) -> None:
    assert types.field_at(customer, offset, size) is None


def test_a_step_must_stay_within_an_array(types: DataTypes, customer: DataType) -> None:
    place = types.field_at(customer, 0, 1, step=1)
    assert place is not None
    assert place.path == "name[]"
    assert types.field_at(customer, 16, 8, step=8) is None


def test_a_pointer_leads_to_the_type_behind_it(types: DataTypes, customer: DataType) -> None:
    order = types.target(customer.members[1].type)
    assert order is not None
    assert order.name == "order"
    place = types.field_at(order, 24, 4)
    assert place is not None
    assert place.path == "due.month"
