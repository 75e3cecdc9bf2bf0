"""Symbols of one file, sorted by address, with lookup of many addresses at once.

Sorting 250,000 symbols takes about 20 ms, looking up 60,000 addresses 5 ms. Names stay in the
file's string table and are extracted only for symbols that were hit.
"""

import re

import numpy as np
import numpy.typing as npt
from msgspec import Struct

# perf's order of preference among symbols of one address: with a size, not weak, global.
RANK_SIZELESS, RANK_WEAK, RANK_LOCAL = 4, 2, 1
RANK_UNNAMED = 8  # a function known from unwind tables alone
ENTRY = 16  # a flag, not a preference: the unwind tables mark a function without a caller
_NAME = re.compile(rb"[^\0\t\n]{1,16384}")
_MAX_NESTING = 64
_ALIASES_COMPARED = 64
_STRINGS_KEPT = 32 << 20
PLT_SUFFIX = b"@plt"


class Symbols(Struct, frozen=True):
    """Unsorted symbols of a file: arrays (n,) and the string table with the names.

    ``size`` 0: the symbol extends to the next symbol, or to ``limit`` (end of its section).
    """

    start: npt.NDArray[np.uint64]
    size: npt.NDArray[np.uint64]
    limit: npt.NDArray[np.uint64]
    rank: npt.NDArray[np.uint8]
    name_offset: npt.NDArray[np.uint32]
    strings: bytes


class SymbolTable(Struct, frozen=True):
    """Symbols grouped by address: arrays over groups, and over members (the aliases of a group).

    ``start``, ``end`` uint64 and ``first`` uint32 (n_groups,): group i covers [start, end); its
    members start at ``first[i]``, the preferred one first. Members: ``rank`` uint8,
    ``name_offset`` uint32 (n_members,).
    """

    start: npt.NDArray[np.uint64]
    end: npt.NDArray[np.uint64]
    first: npt.NDArray[np.uint32]
    covered: npt.NDArray[np.uint64]  # largest end of all groups up to this one
    rank: npt.NDArray[np.uint8]
    name_offset: npt.NDArray[np.uint32]
    strings: bytes
    versioned: bool = False  # names may have a version suffix: memcpy@@GLIBC_2.14

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.start)

    def look_up(self, addresses: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Return the innermost group that covers each address, -1 if none."""
        if not len(self.start):
            return np.full(len(addresses), -1, np.int64)
        group = np.searchsorted(self.start, addresses, side="right") - 1
        missed = np.flatnonzero((group < 0) | (addresses >= self.end[group]))
        for _ in range(_MAX_NESTING):
            if not len(missed):
                return group
            here = group[missed]
            reachable = (here > 0) & (addresses[missed] < self.covered[here])
            group[missed[~reachable]] = -1
            missed = missed[reachable]
            group[missed] -= 1
            missed = missed[addresses[missed] >= self.end[group[missed]]]
        group[missed] = -1
        return group

    def names(self, groups: npt.NDArray[np.int64]) -> list[bytes]:
        """Return the preferred name of each group, mangled, without its version; b"" if unnamed."""
        bounds = np.append(self.first, np.uint32(len(self.rank))).astype(np.int64)
        firsts = bounds[groups]
        names = self._names_at(self.name_offset[firsts])
        for position in np.flatnonzero(bounds[groups + 1] - firsts > 1).tolist():
            group = groups[position]
            names[position] = self._preferred(int(bounds[group]), int(bounds[group + 1]))
        return names

    def all_names(self) -> list[tuple[bytes, int]]:
        """Return name and begin of every symbol, aliases as well, without their versions."""
        bounds = np.append(self.first, np.uint32(len(self.rank))).astype(np.int64)
        starts = np.repeat(self.start, bounds[1:] - bounds[:-1]).tolist()
        return list(zip(self._names_at(self.name_offset), starts, strict=True))

    def named(self, groups: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return whether each group has a name."""
        return np.asarray((self.rank[self.first[groups]] & RANK_UNNAMED) == 0)

    def restricted_to(
        self, groups: npt.NDArray[np.int64], *, kept_bytes: int = _STRINGS_KEPT
    ) -> tuple["SymbolTable", npt.NDArray[np.int64]]:
        """Return a table of only these groups and their new indexes.

        A table with at most ``kept_bytes`` of names is returned as it is.
        """
        if len(self.strings) <= kept_bytes:
            return self, groups
        unique, inverse = np.unique(groups, return_inverse=True)
        names = self.names(unique)
        lengths = np.array([len(name) + 1 for name in names], np.int64)
        count = len(unique)
        members = self.first[unique].astype(np.int64)
        rank = self.rank[members] | np.where(self.entries(unique), ENTRY, 0).astype(np.uint8)
        table = SymbolTable(
            self.start[unique],
            self.end[unique],
            np.arange(count, dtype=np.uint32),
            self.covered[unique],
            rank,
            (np.cumsum(lengths) - lengths).astype(np.uint32),
            b"".join(name + b"\0" for name in names),
        )
        return table, inverse.astype(np.int64)

    def _preferred(self, first: int, end: int) -> bytes:
        members = slice(first, min(end, first + _ALIASES_COMPARED))
        ranks = self.rank[members] & ~np.uint8(ENTRY)
        names = self._names_at(self.name_offset[members][ranks == ranks[0]])
        return min(names, key=lambda name: (_leading_underscores(name), -len(name), name))

    def _names_at(self, offsets: npt.NDArray[np.uint32]) -> list[bytes]:
        if self.versioned:
            return [_without_version(_name(self.strings, offset)) for offset in offsets.tolist()]
        return [_name(self.strings, offset) for offset in offsets.tolist()]

    def entries(self, groups: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return whether the unwind tables mark each group as the outermost function of a stack."""
        if not len(self.first):
            return np.zeros(len(groups), np.bool_)
        flags = np.bitwise_or.reduceat(self.rank, self.first.astype(np.int64))
        return np.asarray((flags[groups] & ENTRY) != 0)


def _name(strings: bytes, offset: int) -> bytes:
    match = _NAME.match(strings, offset)
    return match.group() if match else b""


def _without_version(name: bytes) -> bytes:
    at = name.find(b"@", 1)
    return name if at < 0 or name.endswith(PLT_SUFFIX) else name[:at]


def _leading_underscores(name: bytes) -> int:
    return len(name) - len(name.lstrip(b"_"))


def empty_table() -> SymbolTable:
    """Return a table without symbols."""
    none = np.zeros(0, np.uint64)
    few = np.zeros(0, np.uint32)
    return SymbolTable(none, none, few, none, np.zeros(0, np.uint8), few, b"")


def build_table(symbols: Symbols, *, versioned: bool = False) -> SymbolTable:
    """Return the table of a file's symbols.

    A symbol without size or name inside a symbol with both is a label and is skipped.
    """
    if not len(symbols.start):
        return empty_table()
    order = _order(symbols.start, symbols.rank)
    order = order[~_inner_labels(symbols, order)]
    start = symbols.start[order]
    leads = np.append(True, start[1:] != start[:-1])
    first = np.flatnonzero(leads)
    start = start[first]
    preferred = order[first]
    size = symbols.size[preferred]
    limit = np.maximum(symbols.limit[preferred], start)
    extended = np.minimum(np.append(start[1:], limit[-1]), limit)
    end = np.maximum(np.where(size == 0, extended, start + size), start)
    return SymbolTable(
        start,
        end,
        first.astype(np.uint32),
        np.maximum.accumulate(end),
        symbols.rank[order],
        symbols.name_offset[order],
        symbols.strings,
        versioned,
    )


def _order(start: npt.NDArray[np.uint64], rank: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    if int(start.max()) < 1 << 58:
        return np.argsort((start << np.uint64(5)) | rank, kind="stable")
    return np.lexsort((rank, start))


def _inner_labels(symbols: Symbols, order: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return whether each symbol, in order, is a label inside a symbol with size and name."""
    start, size = symbols.start[order], symbols.size[order]
    labels = (size == 0) | ((symbols.rank[order] & RANK_UNNAMED) != 0)
    inner = np.zeros(len(order), np.bool_)
    places = np.flatnonzero(labels)
    if not len(places) or len(places) == len(order):
        return inner
    reach = np.maximum.accumulate(np.where(labels, start, start + size))
    before = np.searchsorted(start, start[places], side="left") - 1
    inner[places] = (before >= 0) & (start[places] < reach[before])
    return inner
