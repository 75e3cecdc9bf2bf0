"""Symbol tables written as text: the kernel's /proc/kallsyms and the maps of JIT compilers.

Both are parsed as arrays, by the offsets of their line ends: 122,000 lines (5.4 MB) in about 12 ms.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from numpy.lib.stride_tricks import sliding_window_view

from stallscope.printable import MAX_NAME_LENGTH
from topdown.stacks.symbol_table import RANK_SIZELESS, SymbolTable, empty_table

_ADDRESS_WIDTH = 16
_LEADING_ZEROS = 4  # of a user address with 16 digits
_HEX = np.full(256, 255, np.uint8)  # values of digits
_HEX[np.frombuffer(b"0123456789", np.uint8)] = np.arange(10)
_HEX[np.frombuffer(b"abcdef", np.uint8)] = np.arange(10, 16)
_HEX[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)
# Two digits as one byte; the high byte of pairs that are not two digits is not 0.
_PAIR = (_HEX[:, None].astype(np.uint16) | (_HEX.astype(np.uint16) << 4)).reshape(-1)
_PAIR[((_HEX[:, None] | _HEX) > 15).reshape(-1)] = 1 << 8
_NOT_PAIRS = np.uint64(0x0100010001000100)
_IS_TEXT = np.zeros(256, np.bool_)
_IS_TEXT[np.frombuffer(b"tTwWvV", np.uint8)] = True
_HEAD = np.dtype([("address", "<u2", _ADDRESS_WIDTH // 2), ("space", "u1"), ("type", "u1")])
_KERNEL_BLOCK = 1 << 19
_PADDING = bytes(2 * _ADDRESS_WIDTH + _LEADING_ZEROS)
_LAST_ADDRESS = np.uint64(0xFFFFFFFFFFFFFFFF)


def kernel_table(text: bytes) -> tuple[SymbolTable, bool]:
    """Return the text symbols of a /proc/kallsyms, and whether its addresses are hidden.

    A malformed line is skipped. Symbols of modules are included; the module follows the name in
    the line, after a tab (see ``module_of``).
    """
    content = np.frombuffer(text, np.uint8)
    begin = 0
    parts = []
    while begin < len(text):  # arrays of a block stay in the CPU's cache
        stop = text.find(b"\n", begin + _KERNEL_BLOCK) + 1 or len(text)
        parts.append(_text_symbols(content[begin:stop], begin))
        begin = stop
    if not any(len(starts) for starts, _ in parts):
        return empty_table(), False
    starts = np.concatenate([starts for starts, _ in parts])
    addresses = np.concatenate([addresses for _, addresses in parts])
    if not addresses.any():
        return empty_table(), True
    order = np.argsort(addresses, kind="stable")
    addresses = addresses[order]
    last = np.append(addresses[1:] != addresses[:-1], True)  # perf shows the last alias
    addresses = addresses[last]
    end = np.append(addresses[1:], _LAST_ADDRESS)
    return SymbolTable(
        addresses,
        end,
        np.arange(len(addresses), dtype=np.uint32),
        end,
        np.full(len(addresses), RANK_SIZELESS, np.uint8),
        starts[order[last]] + np.uint32(_ADDRESS_WIDTH + 3),
        text,
    ), False


def _text_symbols(
    content: npt.NDArray[np.uint8], offset: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    """Return start of the line and address of each text symbol in whole lines of kallsyms.

    ``offset``: that of the lines in the text.
    """
    starts, ends = _lines(content)
    starts = starts[ends - starts > _ADDRESS_WIDTH + 3]
    if not len(starts):
        return np.zeros(0, np.uint32), np.zeros(0, np.uint64)
    every = np.ndarray(  # a head of a line at every byte
        len(content) - _HEAD.itemsize + 1, _HEAD, content.data, strides=(1,)
    )
    heads = every[starts]
    digits = _PAIR[np.ascontiguousarray(heads["address"])]
    words = digits.view(np.uint64)
    valid = ((words[:, 0] | words[:, 1]) & _NOT_PAIRS) == 0
    valid &= (heads["space"] == ord(" ")) & _IS_TEXT[heads["type"]]
    addresses = digits[valid].astype(np.uint8).view(">u8")[:, 0].astype(np.uint64)
    return (starts[valid] + offset).astype(np.uint32), addresses


def module_of(table: SymbolTable, group: int) -> bytes:
    """Return the kernel module that a symbol of a kernel table belongs to, empty if none."""
    offset = int(table.name_offset[table.first[group]])
    line = table.strings[offset : table.strings.find(b"\n", offset, offset + 16384)]
    _, _, module = line.partition(b"\t")
    return module.strip(b"[] \t")


def _lines(content: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    ends = np.flatnonzero(content == ord("\n"))
    if len(content) and (not len(ends) or ends[-1] != len(content) - 1):
        ends = np.append(ends, len(content))
    starts = np.append(0, ends[:-1] + 1) if len(ends) else ends
    return starts, ends


def _from_nibbles(digits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    pairs = (digits[:, 0::2] << 4) | digits[:, 1::2]
    return np.ascontiguousarray(pairs).view(">u8")[:, 0].astype(np.uint64)


class JitSymbols(Struct, frozen=True):
    """The functions at looked-up addresses: ``group`` int64 (n_addresses,), -1 if there is none.

    ``table`` has a group per line of the map that owns an address. ``cut``: the map has more lines
    than were read.
    """

    table: SymbolTable
    group: npt.NDArray[np.int64]
    cut: bool = False


def jit_symbols(
    blocks: Iterable[bytes], addresses: npt.NDArray[np.uint64], max_lines: int = 2 << 20
) -> JitSymbols:
    """Return the functions of a perf-PID.map: lines of ``start size name``, numbers in hex.

    ``blocks``: whole lines; ``addresses``: unique, ascending. JIT compilers reuse memory: the last
    line that contains an address owns it. Only lines that own an address are kept, so that memory
    does not depend on the length of the map. A line takes 0.3 us.
    """
    owners = _Owners(addresses)
    remaining = max_lines
    for block in blocks:
        content = np.frombuffer(block + _PADDING, np.uint8)
        starts, ends = _lines(content[: len(block)])
        owners.add(block, content, starts[:remaining], ends[:remaining])
        remaining -= len(starts)
        if remaining < 0:
            return owners.symbols(cut=True)
    return owners.symbols(cut=False)


class _Owners:
    """The last line that contains each address."""

    def __init__(self, addresses: npt.NDArray[np.uint64]) -> None:
        self._addresses = addresses
        self._start = np.zeros(len(addresses), np.uint64)
        self._end = np.zeros(len(addresses), np.uint64)
        self._line = np.full(len(addresses), -1, np.int64)
        self._names: dict[int, bytes] = {}
        self._lines_before = 0

    def add(
        self,
        block: bytes,
        content: npt.NDArray[np.uint8],
        starts: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
    ) -> None:
        """Add lines, which own the addresses that earlier lines contain too."""
        start, position = _hex_words(content, starts, ends)
        size, name = _hex_words(content, position, ends)
        valid = (start >= 0) & (size > 0) & (name < ends) & (name > position) & (position > starts)
        rows = np.flatnonzero(valid)
        first = start[rows].astype(np.uint64)
        end = first + size[rows].astype(np.uint64)
        low = np.searchsorted(self._addresses, first)
        high = np.searchsorted(self._addresses, end)
        row_of = _last_containing(low, high, len(self._addresses))
        owned = np.flatnonzero(row_of >= 0)
        chosen = row_of[owned]
        self._start[owned], self._end[owned] = first[chosen], end[chosen]
        self._line[owned] = rows[chosen] + self._lines_before
        for row in np.unique(chosen).tolist():
            at = int(rows[row])
            begin = int(name[at])
            name_bytes = block[begin : min(int(ends[at]), begin + MAX_NAME_LENGTH)]
            self._names[at + self._lines_before] = name_bytes
        self._lines_before += len(starts)
        if len(self._names) > 4 * len(self._addresses) + 1024:
            used = set(self._line.tolist())
            self._names = {line: text for line, text in self._names.items() if line in used}

    def symbols(self, *, cut: bool) -> JitSymbols:
        """Return the lines that own an address as a table."""
        owned = np.flatnonzero(self._line >= 0)
        lines, places, inverse = np.unique(
            self._line[owned], return_index=True, return_inverse=True
        )
        names = [self._names[line] for line in lines.tolist()]
        lengths = np.array([len(name) + 1 for name in names], np.int64)
        group = np.full(len(self._addresses), -1, np.int64)
        group[owned] = inverse
        chosen = owned[places]
        table = SymbolTable(
            self._start[chosen],
            self._end[chosen],
            np.arange(len(lines), dtype=np.uint32),
            self._end[chosen],
            np.zeros(len(lines), np.uint8),
            (np.cumsum(lengths) - lengths).astype(np.uint32),
            b"".join(name + b"\n" for name in names),
        )
        return JitSymbols(table, group, cut)


def _last_containing(
    low: npt.NDArray[np.intp], high: npt.NDArray[np.intp], count: int
) -> npt.NDArray[np.int64]:
    """Return for each of ``count`` places the last range [low, high) that contains it, or -1.

    A range is the union of two ranges whose lengths are the same power of two. The maxima of each
    power are passed down to the next smaller one.
    """
    last = np.full(count, -1, np.int64)
    rows = np.flatnonzero(high > low)
    if not len(rows):
        return last
    low, high = low[rows], high[rows]
    power = np.frexp((high - low).astype(np.float64))[1] - 1  # 2 ** power <= length
    for level in range(int(power.max()), -1, -1):
        half = 1 << level
        if level < int(power.max()):
            wider = last.copy()
            np.maximum(last[half:], wider[: count - half], out=last[half:])
        here = power == level
        np.maximum.at(last, low[here], rows[here])
        np.maximum.at(last, high[here] - half, rows[here])
    return last


def _hex_words(
    content: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the hex number at each start (-1 if none) and the start of the next word.

    A number has at most 15 digits after up to 4 zeros, which .NET writes: no user address is
    larger. ``content`` is padded.
    """
    prefixed = (content[starts] == ord("0")) & ((content[starts + 1] | 32) == ord("x"))
    first = starts + 2 * prefixed
    for _ in range(_LEADING_ZEROS):
        first = first + ((content[first] == ord("0")) & (_HEX[content[first + 1]] < 16))
    window = np.ascontiguousarray(sliding_window_view(content, _ADDRESS_WIDTH)[first])
    digits = _HEX[window]
    length = np.argmax(digits >= 16, axis=1)  # 0 if there is none, as for no digit
    position = first + length
    complete = (length > 0) & (position < ends) & (content[position] == ord(" "))
    values = _from_nibbles(digits & 15) >> (64 - 4 * length.astype(np.uint64))
    return (
        np.where(complete, values.astype(np.int64), -1),
        np.where(complete, position + 1, starts),
    )
