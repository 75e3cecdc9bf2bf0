"""Compilation units that contain addresses, and the ranges of their entries, read by pyelftools.

Debug information is untrusted, and hostile headers can make any reader loop or grow: this runs in a
limited process (see limited_reader.py).
"""

import bisect
from collections.abc import Iterator

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.descriptions import describe_form_class
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.ranges import BaseAddressEntry

MALFORMED = (
    ELFError, DWARFError, ValueError, KeyError, IndexError, TypeError, AttributeError,
    AssertionError, ArithmeticError, NotImplementedError, RecursionError,
)  # fmt: skip
Spans = list[tuple[int, int]]


def units_of(dwarf: DWARFInfo, addresses: list[int]) -> Iterator[tuple[CompileUnit, list[int]]]:
    """Yield each compilation unit that contains some of the addresses, with these addresses."""
    unassigned = list(addresses)
    table = dwarf.get_aranges()
    if table is not None:
        by_unit: dict[int, list[int]] = {}
        for address in addresses:
            offset = table.cu_offset_at_addr(address)
            if offset is not None:
                by_unit.setdefault(offset, []).append(address)
        for offset, contained in by_unit.items():
            yield dwarf.get_CU_at(offset), contained
        assigned = {address for contained in by_unit.values() for address in contained}
        unassigned = [address for address in addresses if address not in assigned]
    if not unassigned:
        return
    for unit in dwarf.iter_CUs():
        try:
            spans = entry_spans(dwarf, unit, unit.get_top_DIE())
        except MALFORMED:
            continue
        contained = _contained(unassigned, spans)
        if contained:
            yield unit, contained


def _contained(addresses: list[int], spans: Spans) -> list[int]:
    """Return the sorted addresses that lie in one of the spans."""
    return [
        address
        for start, end in spans
        for address in addresses[
            bisect.bisect_left(addresses, start) : bisect.bisect_left(addresses, end)
        ]
    ]


def entry_spans(dwarf: DWARFInfo, unit: CompileUnit, die: DIE) -> Spans:
    """Return the address ranges of an entry as [start, end) pairs."""
    low, high = die.attributes.get("DW_AT_low_pc"), die.attributes.get("DW_AT_high_pc")
    if low is not None and high is not None:
        relative = describe_form_class(high.form) == "constant"
        return [(low.value, high.value + (low.value if relative else 0))]
    ranges = die.attributes.get("DW_AT_ranges")
    lists = dwarf.range_lists()
    if ranges is None or lists is None:
        return []
    top = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    start = top.value if top is not None else 0
    spans: Spans = []
    for entry in lists.get_range_list_at_offset(ranges.value, unit):
        if isinstance(entry, BaseAddressEntry):
            start = entry.base_address
        else:
            shift = 0 if entry.is_absolute else start
            spans.append((entry.begin_offset + shift, entry.end_offset + shift))
    return spans
