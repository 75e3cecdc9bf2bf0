"""Functions at addresses that a text names, read from the files in a limited process.

A text has no build id and no mappings: a file is the one at its path. perf writes an address of the
process, of the file, or an offset in the file, according to its version and to the file. The begin
of the symbol and the offset to it are therefore preferred; without them, the address is taken as
one of the file if it has code there.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from stallscope.printable import printable
from stallscope.regular_file import open_regular
from topdown.stacks.elf.file import PF_X, ElfFile
from topdown.stacks.symbols.debug_files import debug_files_of
from topdown.stacks.symbols.function_table import demangled
from topdown.stacks.symbols.limited_reader import LimitedReader
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits
from topdown.stacks.symbols.source_lines import loaded_segments, memory_bytes, read_units
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from topdown.stacks.symbol_table import SymbolTable

_CPU_S = 30.0  # of one file
_REASONS_SHOWN = 3
_DEMANGLED_LIMIT = 500_000  # symbols of a file that are demangled to find one by its name


class TextAddress(Struct, frozen=True, array_like=True):
    """An address as a text names it. ``symbol``: without the offset; ``offset``: None without."""

    address: int
    symbol: bytes
    offset: int | None


class AddressFunctions(Struct, frozen=True):
    """Names of the functions by number of an address, the outermost first, and a warning."""

    names: dict[int, tuple[str, ...]]
    warning: str = ""


class _Row(Struct, frozen=True, array_like=True):
    number: int
    names: tuple[str, ...]


_DECODER = msgspec.json.Decoder(_Row)


def read_functions(
    files: Mapping[bytes, Mapping[int, TextAddress]], sources: SymbolSources
) -> AddressFunctions:
    """Return the functions at the addresses of each file; addresses without a name are left out.

    A file that cannot be read costs its addresses, which the warning counts.
    """
    paths = list(files)
    names: dict[int, tuple[str, ...]] = {}
    failures: list[tuple[str, int]] = []

    def read(request: bytes) -> Iterator[bytes]:
        path = paths[int(request)]
        return _read_file(path, files[path], sources)

    limits = ReadingLimits(memory_bytes(), _CPU_S, 2 * _CPU_S)
    with LimitedReader(read, limits, ReadingBudget(4 * _CPU_S, 8 * _CPU_S)) as reader:
        for number, path in enumerate(paths):
            output = reader.output(b"%d" % number)
            for line in output.content.split(b"\n")[:-1]:  # the last line may be incomplete
                row = _DECODER.decode(line)
                names[row.number] = row.names
            missing = sum(address not in names for address in files[path])
            if output.failure and missing:
                failures.append((printable(output.failure), missing))
    return AddressFunctions(names, _warning(failures))


def _warning(failures: Sequence[tuple[str, int]]) -> str:
    if not failures:
        return ""
    count = sum(missing for _, missing in failures)
    shown = "; ".join(reason for reason, _ in failures[:_REASONS_SHOWN])
    more = f"; and {len(failures) - _REASONS_SHOWN} more" if len(failures) > _REASONS_SHOWN else ""
    return f"{count:,} addresses keep the names of the text: {shown}{more}"


def _read_file(
    path: bytes, addresses: Mapping[int, TextAddress], sources: SymbolSources
) -> Iterator[bytes]:
    """Yield a line of JSON per address with names; runs in the limited process."""
    from topdown.stacks.elf.symbols import symbol_table  # noqa: PLC0415 - of this process only
    from topdown.stacks.symbols.binaries import find_debug_file  # noqa: PLC0415

    with ExitStack() as files:
        file = open_regular(path)
        files.callback(file.close)
        main = ElfFile(file)
        debug = find_debug_file(path, main, sources, files, (b"/",))
        table = symbol_table(main, debug)
        places = _addresses_in_file(main, table, addresses)
        outer = _symbol_names(table, places)
        inlined: dict[int, tuple[bytes, ...]] = {}
        opened = debug_files_of(main, debug, sources, files, (b"/",))
        if opened is not None:
            numbers: dict[int, list[int]] = {}
            for number, address in places.items():
                numbers.setdefault(address, []).append(number)
            for unit in read_units(opened, numbers):
                inlined |= {place: location.inlined for place, location in unit.locations()}
        for number in places:
            own = outer.get(number, b"")
            if not own and number not in inlined:
                continue
            raw = (own or addresses[number].symbol, *inlined.get(number, ()))
            yield msgspec.json.encode(_Row(number, tuple(demangled(list(raw))))) + b"\n"


def _addresses_in_file(
    main: ElfFile, table: "SymbolTable", addresses: Mapping[int, TextAddress]
) -> dict[int, int]:
    """Return the virtual address in the file by number; addresses outside of it are left out."""
    loads = loaded_segments(main)
    loads = loads[(loads["flags"] & PF_X) != 0]
    ranges = [
        (int(load["address"]), int(load["address"]) + int(load["file_size"])) for load in loads
    ]
    named = {address.symbol for address in addresses.values() if address.offset is not None}
    starts = _symbol_starts(table, named)
    places: dict[int, int] = {}
    for number, address in addresses.items():
        place = address.address
        if address.offset is not None and address.symbol in starts:
            place = starts[address.symbol] + address.offset
        if any(start <= place < end for start, end in ranges):
            places[number] = place
    return places


def _symbol_starts(table: "SymbolTable", wanted: set[bytes]) -> dict[bytes, int]:
    """Return the begin of the symbols with these names, mangled or without arguments.

    A name that several functions have is left out.
    """
    starts: dict[bytes, int | None] = {}
    if not wanted or not len(table):
        return {}
    names = table.all_names()
    for name, start in names:
        if name in wanted:
            starts[name] = start if starts.get(name, start) == start else None
    rest = wanted - starts.keys()
    if rest and len(names) <= _DEMANGLED_LIMIT:
        shown = demangled([name for name, _ in names])
        for text, (_, start) in zip(shown, names, strict=True):
            name = without_arguments(text).encode()
            if name in rest:
                starts[name] = start if starts.get(name, start) == start else None
    return {name: start for name, start in starts.items() if start is not None}


def without_arguments(name: str) -> str:
    """Return a demangled name without its last list of arguments and what follows it."""
    end = name.rfind(")")
    depth = 0
    for place in range(end, -1, -1):
        depth += (name[place] == ")") - (name[place] == "(")
        if depth == 0:
            return name[:place] if place > 0 else name
    return name


def _symbol_names(table: "SymbolTable", places: Mapping[int, int]) -> dict[int, bytes]:
    """Return the mangled name of the symbol at each address that has one."""
    if not places or not len(table):
        return {}
    groups = table.look_up(np.array(list(places.values()), np.uint64))
    numbers: npt.NDArray[np.int64] = np.array(list(places), np.int64)
    known = groups >= 0
    return dict(zip(numbers[known].tolist(), table.names(groups[known]), strict=True))
