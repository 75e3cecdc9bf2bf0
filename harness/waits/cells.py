"""Cells of a page's tables, with the series that the page's script shows for a period."""

from collections.abc import Hashable
from dataclasses import dataclass

from harness.waits.binned import BinnedValues, Key
from harness.waits.text import share_text as short_share_text
from stallscope.quantities import value_text


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A number of a table. ``kind``: "time", "count" or "share"; ``series`` -1: always the same.

    ``of``: series of the whole of a share.
    """

    text: str
    kind: str = ""
    series: int = -1
    of: int = -1


@dataclass(frozen=True, slots=True)
class Cells:
    """Makes the cells of a page; ``binned`` None: without series."""

    binned: BinnedValues | None

    def series(self, *key: Hashable) -> int:
        """Return the number of the series of a time."""
        return -1 if self.binned is None else self.binned.time(*key)

    def time(self, time_ns: int, key: Key) -> NumberCell:
        """Return a cell with a time."""
        return NumberCell(value_text(time_ns, "ns"), "time", self.series(*key))

    def count(self, number: int, key: Key) -> NumberCell:
        """Return a cell with a count."""
        series = -1 if self.binned is None else self.binned.number(*key)
        return NumberCell(f"{number:,}", "count", series)

    def share(self, part_ns: int, whole_ns: int, key: Key, of: Key) -> NumberCell:
        """Return a cell with a share of a time; empty for nothing."""
        text = short_share_text(part_ns, whole_ns)
        return NumberCell(text, "share", self.series(*key), self.series(*of))
