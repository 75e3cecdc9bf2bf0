"""Where variables are stored."""

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo

from topdown.data.data_types import DataTypes, unit_variables
from topdown.data.variables import RegisterPlace, VariableReader

RDI = 5


def function_named(unit: CompileUnit, name: bytes) -> DIE:
    return next(
        entry
        for entry in unit.get_top_DIE().iter_children()
        if entry.tag == "DW_TAG_subprogram" and entry.attributes["DW_AT_name"].value == name
    )


def test_a_parameter_is_in_its_register_at_the_entry(dwarf: DWARFInfo, unit: CompileUnit) -> None:
    function = function_named(unit, b"nested")
    reader = VariableReader(dwarf, unit, DataTypes(dwarf))
    variables = reader.of_function(function)
    (place,) = variables.at(function.attributes["DW_AT_low_pc"].value)
    assert isinstance(place, RegisterPlace)
    assert (place.register, place.target.name, place.offset) == (RDI, "order", 0)
    assert list(variables.at(0)) == []


def test_variables_outside_of_functions_have_addresses(dwarf: DWARFInfo, unit: CompileUnit) -> None:
    reader = VariableReader(dwarf, unit, DataTypes(dwarf))
    places = {place.name: place for place in reader.globals(unit_variables(unit))}
    assert places.keys() == {"everybody", "totals"}
    assert places["totals"].type.size == 64 * 4
    assert places["totals"].address > 0
