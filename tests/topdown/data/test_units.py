"""Compilation units that contain addresses, and the ranges of their entries."""

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.dwarfinfo import DWARFInfo

from topdown.data.units import entry_spans, units_of


def test_addresses_are_divided_by_the_unit_that_contains_them(
    dwarf: DWARFInfo, unit: CompileUnit
) -> None:
    spans = entry_spans(dwarf, unit, unit.get_top_DIE())
    addresses = sorted(start for start, _ in spans)
    assert addresses
    ((containing, contained),) = units_of(dwarf, addresses)
    assert containing.cu_offset == unit.cu_offset
    assert sorted(contained) == addresses


def test_an_address_outside_all_units_belongs_to_none(dwarf: DWARFInfo) -> None:
    assert list(units_of(dwarf, [1])) == []
