"""Arrays with a value for each sample, in blocks: copies of 50 million values would not fit.

A result is that of the same operation on whole arrays. A block has 4 million samples, so that most
recordings are one block.
"""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 22
T = TypeVar("T", bound=np.generic)
Integers = npt.NDArray[np.integer]


def blocks(count: int) -> Iterator[slice]:
    """Yield consecutive slices that together are the range from 0 to ``count``."""
    for begin in range(0, count, BLOCK):
        yield slice(begin, min(begin + BLOCK, count))


def selected(column: npt.NDArray[T], rows: Integers) -> npt.NDArray[T]:
    """Return the column's values at ascending rows without repetition; all rows are no copy."""
    return column if len(rows) == len(column) else gathered(column, rows)


def gathered(table: npt.NDArray[T], indices: Integers) -> npt.NDArray[T]:
    """Return ``table[indices]``, without a copy of all indices as numpy's own integers."""
    values = np.empty(len(indices), table.dtype)
    for block in blocks(len(indices)):
        values[block] = table[indices[block]]
    return values


def counted(values: Integers, limit: int) -> npt.NDArray[np.int64]:
    """Return how often each integer below ``limit`` occurs."""
    counts = np.zeros(limit, np.int64)
    for block in blocks(len(values)):
        counts += np.bincount(values[block], minlength=limit)
    return counts
