"""Rows to compare: names with sums by block, read from a recording of any kind."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stallscope.statistics.block_shares import BLOCKS, BlockSums

Floats = npt.NDArray[np.float64]


class RowKey(NamedTuple):
    """What identifies a row in both recordings."""

    name: str
    module: str = ""


@dataclass(frozen=True, slots=True)
class RowSums:
    """The rows of a recording.

    ``parts`` (n_rows, n_blocks): self values. ``totals``: with callees; None if rows have none.
    ``whole`` (n_blocks,): sum that shares are of. ``samples``: number of independent samples.
    """

    keys: tuple[RowKey, ...]
    parts: Floats
    totals: Floats | None
    whole: Floats
    samples: int | None
    noun: str  # of a row: "frame", "state", "slot", "latency band"
    seconds: float | None = None  # duration
    value_per_part_s: float | None = None  # seconds that one unit of parts stands for

    def scaled(self, whole: float) -> "RowSums":
        """Return the rows with ``whole`` as their total, divided equally among the blocks."""
        spread = np.full(self.whole.shape, whole / self.whole.size)
        unit = self.value_per_part_s or 1.0
        return RowSums(
            self.keys,
            self.parts * unit,
            None if self.totals is None else self.totals * unit,
            spread,
            None,
            self.noun,
            self.seconds,
        )


def aligned(
    a: RowSums, b: RowSums, *, totals: bool
) -> tuple[tuple[RowKey, ...], BlockSums, BlockSums]:
    """Return all keys, and both sides with a row for each.

    A missing row is zero. A missing slot was not measured: it is left out on both sides.
    """
    keys = tuple(dict.fromkeys((*a.keys, *b.keys)))
    if a.noun == "slot":
        keys = tuple(key for key in keys if key in a.keys and key in b.keys)
    place = {key: number for number, key in enumerate(keys)}
    sides = []
    for side in (a, b):
        values = side.totals if totals and side.totals is not None else side.parts
        parts = np.zeros((len(keys), side.whole.size))
        present = [number for number, key in enumerate(side.keys) if key in place]
        np.add.at(parts, [place[side.keys[number]] for number in present], values[present])
        sides.append(BlockSums(parts, side.whole, side.samples))
    return keys, sides[0], sides[1]


def block_of(times_ns: npt.NDArray[np.int64], *, blocks: int = BLOCKS) -> npt.NDArray[np.int64]:
    """Return the block of each time, of equally long blocks from the first to the last time."""
    if not times_ns.size:
        return np.zeros(0, dtype=np.int64)
    begin = int(times_ns.min())
    length = max(1, int(times_ns.max()) - begin + 1)
    places = ((times_ns - begin).astype(np.float64) * blocks / length).astype(np.int64)
    return np.minimum(places, blocks - 1)  # floats round up over years
