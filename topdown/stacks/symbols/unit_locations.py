"""Source locations of the addresses in a compilation unit, as the limited process writes them."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from stallscope.printable import MAX_NAME_LENGTH

_MAX_INLINED = 64
_NO_NAME = "[inlined]"


class SourceLocation(Struct, frozen=True):
    """The source location of an address.

    ``inlined``: linkage names of the functions inlined there, outermost first. ``calls``: the
    "path:line" where each of them is called, None if it is not known.
    """

    line: str | None  # "path:line", of the innermost function
    inlined: tuple[bytes, ...] = ()
    calls: tuple[str | None, ...] = ()


class UnitLocations(Struct, frozen=True, array_like=True):
    """Columns of addresses and of functions; texts are numbers of ``texts``, -1 for none.

    Of addresses: ``places`` (numbers of the frames), ``file``, ``line``, and ``function``, a number
    of a function. Of functions: ``caller``, -1 for a function that is not inlined, ``name``,
    ``call_file`` and ``call_line``. ``damaged``: the unit's tables are damaged, so that lines and
    functions may be missing. ``split``: functions are in a .dwo file, which is not read.
    ``unreadable_units``: of the file, in its last line.
    """

    places: list[list[int]] = []
    file: list[int] = []
    line: list[int] = []
    function: list[int] = []
    caller: list[int] = []
    name: list[int] = []
    call_file: list[int] = []
    call_line: list[int] = []
    texts: list[str] = []
    damaged: bool = False
    split: bool = False
    unreadable_units: int = 0

    @classmethod
    def of_columns(cls, columns: dict[str, Any], places: dict[int, list[int]]) -> "UnitLocations":
        """Return the columns of the native reader as numbers, with the places of its addresses."""
        texts = [text[:MAX_NAME_LENGTH].decode("utf-8", "replace") for text in columns["texts"]]
        return cls(
            places=[places[address] for address in columns["address"].tolist()],
            file=columns["file"].tolist(),
            line=columns["line"].tolist(),
            function=columns["function"].tolist(),
            caller=columns["caller"].tolist(),
            name=columns["name"].tolist(),
            call_file=columns["call_file"].tolist(),
            call_line=columns["call_line"].tolist(),
            texts=texts,
            damaged=columns["damaged"],
            split=columns["split"],
        )

    @property
    def split_addresses(self) -> int:
        """Return the number of frames whose functions are in a .dwo file."""
        if not self.split:
            return 0
        unknown = zip(self.places, self.function, strict=True)
        return sum(len(places) for places, function in unknown if function < 0)

    def locations(self) -> Iterator[tuple[int, SourceLocation]]:
        """Yield the number and the location of each frame that has a line or inlined functions."""
        chains: dict[int, SourceLocation] = {}
        for places, file, line, function in zip(
            self.places, self.file, self.line, self.function, strict=True
        ):
            if function not in chains:
                chains[function] = self._chain(function)
            chain, text = chains[function], self._line(file, line)
            if text is None and not chain.inlined:
                continue
            location = SourceLocation(text, chain.inlined, chain.calls)
            yield from ((place, location) for place in places)

    def _line(self, file: int, line: int) -> str | None:
        return f"{self.texts[file]}:{line}" if file >= 0 and line > 0 else None

    def _chain(self, function: int) -> SourceLocation:
        """Return the functions that are inlined at a function, without a line."""
        names: list[bytes] = []
        calls: list[str | None] = []
        while function >= 0 and self.caller[function] >= 0:
            name = self.name[function]
            names.append((self.texts[name] if name >= 0 else _NO_NAME).encode())
            calls.append(self._line(self.call_file[function], self.call_line[function]))
            function = self.caller[function]
        kept = slice(-1, -_MAX_INLINED - 1, -1)
        return SourceLocation(None, tuple(names[kept]), tuple(calls[kept]))
