"""Cache lines that threads share: misses by line, and lines whose words are shared falsely.

False sharing: different threads access different words of a line, and at least one of them
writes. Each write removes the line from the caches of the other cores, although the threads
exchange no data. Accesses of several threads to the same word are true sharing. Lines that are
only read are not reported. The size of an access is not recorded: words of eight bytes are assumed.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.data.accesses import Accesses

LINE_BYTES = 64
WORD_BYTES = 8
LEAST_ACCESSES = 10  # of each of two words, before they are called shared falsely


@dataclass(frozen=True, slots=True)
class WordUse:
    """The accesses to one word of a line."""

    offset: int
    loads: int
    stores: int
    misses: int
    modified: int  # loads of a line that another cache had changed
    threads: tuple[int, ...]  # indices into the capture's threads
    frame: int  # the leaf frame of most accesses, -1 if not known


@dataclass(frozen=True, slots=True)
class LineUse:
    """The accesses to a line of one process, in order of their offset."""

    address: int
    process: int
    words: tuple[WordUse, ...]

    @property
    def accesses(self) -> int:
        """Return the number of sampled accesses."""
        return sum(word.loads + word.stores for word in self.words)

    @property
    def misses(self) -> int:
        """Return the number of accesses that missed the first cache."""
        return sum(word.misses for word in self.words)

    @property
    def modified(self) -> int:
        """Return the number of loads of a line that another cache had changed."""
        return sum(word.modified for word in self.words)


@dataclass(frozen=True, slots=True)
class FalseSharing:
    """Two words of a line that different threads use, at least one of them writing."""

    line: LineUse
    first: WordUse
    second: WordUse


def line_uses(accesses: Accesses, limit: int) -> list[LineUse]:
    """Return the lines with most misses, at most ``limit``."""
    lines = accesses.address // np.uint64(LINE_BYTES)
    keys = np.stack([accesses.process.astype(np.uint64), lines], axis=1)
    unique, inverse = np.unique(keys, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    misses = np.bincount(inverse, weights=accesses.misses, minlength=len(unique))
    totals = np.bincount(inverse, minlength=len(unique))
    order = np.lexsort((-totals, -misses))[:limit]
    uses = []
    for number in order.tolist():
        rows = np.flatnonzero(inverse == number)
        address = int(unique[number, 1]) * LINE_BYTES
        uses.append(LineUse(address, int(unique[number, 0]), _words(accesses, rows)))
    return uses


def _words(accesses: Accesses, rows: npt.NDArray[np.intp]) -> tuple[WordUse, ...]:
    offsets = (accesses.address[rows] % np.uint64(LINE_BYTES)) // np.uint64(WORD_BYTES)
    words = []
    for number in np.unique(offsets).tolist():
        here = rows[offsets == number]
        stores = int(accesses.is_store[here].sum())
        frames, counts = np.unique(accesses.frame[here], return_counts=True)
        words.append(
            WordUse(
                offset=int(number) * WORD_BYTES,
                loads=len(here) - stores,
                stores=stores,
                misses=int(accesses.misses[here].sum()),
                modified=int((accesses.modified[here] & ~accesses.is_store[here]).sum()),
                threads=tuple(np.unique(accesses.thread[here]).tolist()),
                frame=int(frames[np.argmax(counts)]),
            )
        )
    return tuple(words)


def false_sharing(lines: list[LineUse]) -> list[FalseSharing]:
    """Return the pairs of words that are shared falsely, the lines with most transfers first."""
    pairs = [
        FalseSharing(line, first, second)
        for line in lines
        for index, first in enumerate(line.words)
        for second in line.words[index + 1 :]
        if _is_false_sharing(line, first, second)
    ]
    return sorted(pairs, key=lambda pair: -pair.line.modified)


def _is_false_sharing(line: LineUse, first: WordUse, second: WordUse) -> bool:
    """Return whether two words are shared falsely.

    The evidence is a transfer of the changed line between caches: without it, the threads may have
    used the line at different times.
    """
    enough = all(word.loads + word.stores >= LEAST_ACCESSES for word in (first, second))
    written = first.stores > 0 or second.stores > 0
    different = not set(first.threads) & set(second.threads)
    return enough and written and different and line.modified > 0
