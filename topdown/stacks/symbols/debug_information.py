"""Source lines and inlined functions of addresses, from DWARF 4 and 5, read by pyelftools.

Debug information is untrusted, and hostile headers can make any reader loop or grow: this runs in a
limited process (see limited_reader.py).
"""

import bisect
import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.descriptions import describe_form_class
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.ranges import BaseAddressEntry
from elftools.elf.elffile import ELFFile

from topdown.stacks.elf.file import ElfError

_MAX_REFERENCES = 16
_PROGRAM_LIMIT = 32 << 20
_SCOPES = frozenset({"DW_TAG_subprogram", "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block"})
MALFORMED = (
    ELFError, DWARFError, ValueError, KeyError, IndexError, TypeError, AttributeError,
    AssertionError, ArithmeticError, NotImplementedError, RecursionError,
)  # fmt: skip
Spans = list[tuple[int, int]]


def source_locations(stream: BinaryIO, addresses: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Yield the location of each address that has one.

    That is {"address": n, "line": "path:line" or None, "inlined": [[name, "path:line of the call"],
    ...]}, with the outermost inlined function first. Raises ElfError for a malformed file; units
    with malformed tables are left out.
    """
    try:
        elf = ELFFile(stream)
        if not elf.has_dwarf_info(True):
            return
        dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False, follow_links=False)
        for unit, contained in units_of(dwarf, sorted(set(addresses))):
            with contextlib.suppress(*MALFORMED):
                yield from _Unit(dwarf, unit).locations(contained)
    except MALFORMED as error:
        raise ElfError("the debug information is malformed") from error


@dataclass(slots=True)
class _LineRow:
    """A range of addresses of one source line."""

    end: int
    file: int
    line: int


@dataclass(slots=True)
class _InlinedChain:
    """The functions inlined at an address, outermost first."""

    inlined: list[list[str]] = field(default_factory=list)


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


class _Unit:
    """A compilation unit with its line table and its scopes."""

    def __init__(self, dwarf: DWARFInfo, unit: CompileUnit) -> None:
        self._dwarf = dwarf
        self._unit = unit
        self._program: Any = dwarf.line_program_for_CU(unit)
        self._names: dict[int, str] = {}

    def locations(self, addresses: list[int]) -> Iterator[dict[str, Any]]:
        starts, rows = self._lines()
        chains = {address: _InlinedChain() for address in addresses}
        with contextlib.suppress(*MALFORMED):  # the lines remain valid
            self._descend(sorted(chains), chains)
        for address, chain in chains.items():
            position = bisect.bisect_right(starts, address) - 1
            line = None
            if position >= 0 and address < rows[position].end and rows[position].line:
                line = f"{self._file(rows[position].file)}:{rows[position].line}"
            yield {"address": address, "line": line, "inlined": chain.inlined}

    def _lines(self) -> tuple[list[int], list[_LineRow]]:
        """Return the starts of the line table's rows, sorted, and the rows."""
        if self._program is None or self._program.header["unit_length"] > _PROGRAM_LIMIT:
            return [], []
        rows: list[tuple[int, _LineRow]] = []
        before: Any = None
        for entry in self._program.get_entries():
            state = entry.state
            if state is None:
                continue
            if before is not None and state.address > before.address:
                rows.append((before.address, _LineRow(state.address, before.file, before.line)))
            before = None if state.end_sequence else state
        rows.sort(key=lambda row: row[0])
        return [start for start, _ in rows], [row for _, row in rows]

    def _file(self, number: int) -> str:
        """Return the path of a file of the line table, below its directory."""
        if self._program is None:
            return "?"
        header = self._program.header
        first = 0 if header["version"] >= 5 else 1
        try:
            entry = header["file_entry"][number - first]
            directories = header["include_directory"]
            index = entry.dir_index
            if first == 1:
                directory = directories[index - 1] if index else self._directory()
            else:
                directory = directories[index]
        except (IndexError, KeyError, AttributeError):
            return "?"
        parts = (_text(self._directory()), _text(directory), _text(entry.name))
        return os.path.normpath(PurePosixPath(*parts))

    def _directory(self) -> bytes:
        attribute = self._unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
        return attribute.value if attribute is not None else b""

    def _descend(self, addresses: list[int], chains: dict[int, _InlinedChain]) -> None:
        """Visit the unit's entries, descending into scopes that contain addresses.

        Only forward references are followed: a backward sibling would cause an endless loop.
        """
        top = self._unit.get_top_DIE()
        end = self._unit.cu_offset + self._unit["unit_length"]
        end += self._unit.structs.initial_length_field_size()
        offset, depth = top.offset + top.size, 1 if top.has_children else 0
        while depth > 0 and offset < end:
            die = DIE(cu=self._unit, stream=top.stream, offset=offset)
            offset += die.size
            if die.is_null():
                depth -= 1
                continue
            contained: list[int] = []
            if die.tag in _SCOPES:
                contained = _contained(addresses, entry_spans(self._dwarf, self._unit, die))
                self._add_inlined(die, contained, chains)
            if die.has_children:
                following = self._sibling(die)
                if not contained and die.tag != "DW_TAG_namespace" and following > offset:
                    offset = following
                else:
                    depth += 1

    def _sibling(self, die: DIE) -> int:
        attribute = die.attributes.get("DW_AT_sibling")
        if attribute is None or attribute.form == "DW_FORM_ref_addr":
            return 0
        return int(attribute.value) + self._unit.cu_offset

    def _add_inlined(
        self, die: DIE, contained: list[int], chains: dict[int, _InlinedChain]
    ) -> None:
        if not contained or die.tag == "DW_TAG_lexical_block":
            return
        if die.tag == "DW_TAG_subprogram":
            for address in contained:
                chains[address].inlined.clear()
            return
        file, line = (die.attributes.get(name) for name in ("DW_AT_call_file", "DW_AT_call_line"))
        call_site = f"{self._file(file.value)}:{line.value}" if file and line else "?"
        name = self._name(die)
        for address in contained:
            chains[address].inlined.append([name, call_site])

    def _name(self, die: DIE) -> str:
        """Return the linkage name of an entry or of its origin, otherwise its name."""
        first, plain = die.offset, ""
        if first in self._names:
            return self._names[first]
        for _ in range(_MAX_REFERENCES):
            linkage = die.attributes.get("DW_AT_linkage_name")
            if linkage is not None:
                plain = _text(linkage.value)
                break
            name = die.attributes.get("DW_AT_name")
            plain = plain or (_text(name.value) if name is not None else "")
            reference = next(
                (key for key in ("DW_AT_abstract_origin", "DW_AT_specification")
                 if key in die.attributes), None,
            )  # fmt: skip
            if reference is None:
                break
            try:
                die = die.get_DIE_from_attribute(reference)
            except NotImplementedError:
                break  # in a supplementary file
        self._names[first] = plain or "[inlined]"
        return self._names[first]


def _text(name: object) -> str:
    """Return a name as text; empty if the attribute is missing or is no string."""
    if isinstance(name, bytes):
        return name.decode("utf-8", "replace")
    return name if isinstance(name, str) else ""
