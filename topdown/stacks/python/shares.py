"""How samples and what was read of an interpreter came together."""

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from topdown.stacks.python.frames import PythonFrames


class Verdict(IntEnum):
    """What became of a sample."""

    OTHER = 0  # of a process that is no CPython, or whose interpreter was not read
    FRAMED = 1  # it has Python frames
    NATIVE = 2  # nothing in its native chain evaluates Python
    MOVED_ON = 3  # frames were read, but of another moment than its native chain
    UNREAD = 4  # no frames were read: too late, or torn


@dataclass(frozen=True, slots=True)
class PythonShares:
    """Counts of the samples of processes whose interpreters were read, by Verdict.

    ``trampolined``: processes that name their functions themselves; they have no part in the rest.
    ``torn`` and ``late`` are counts of reads, taken while recording; ``gil_held`` of the framed
    samples whose threads held the GIL, out of ``gil_known``.
    """

    versions: tuple[str, ...]
    trampolined: int
    samples: int
    framed: int
    native: int
    moved_on: int
    unread: int
    torn: int
    late: int
    gil_held: int
    gil_known: int

    def share(self, count: int) -> float:
        """Return a count as a share of the samples; NaN where there are none."""
        return count / self.samples if self.samples else math.nan

    @property
    def gil_share(self) -> float:
        """Return the share of framed samples whose thread held the GIL; NaN where not known."""
        return self.gil_held / self.gil_known if self.gil_known else math.nan


def count_shares(
    frames: PythonFrames,
    snapshot: npt.NDArray[np.int64],
    ours: npt.NDArray[np.bool_],
    verdict: npt.NDArray[np.int8],
) -> PythonShares:
    """Return the counts; ``snapshot`` (-1: none), ``ours`` and ``verdict`` are by sample."""
    counts = np.bincount(verdict[ours], minlength=len(Verdict)).tolist()
    gil = np.append(frames.gil, np.int8(-1))[snapshot[ours & (verdict == Verdict.FRAMED)]]
    versions = {one.version for one in frames.interpreters if one.how == "offsets"}
    return PythonShares(
        versions=tuple(sorted(versions)),
        trampolined=sum(one.how == "trampoline" for one in frames.interpreters),
        samples=int(ours.sum()),
        framed=counts[Verdict.FRAMED],
        native=counts[Verdict.NATIVE],
        moved_on=counts[Verdict.MOVED_ON],
        unread=counts[Verdict.UNREAD],
        torn=frames.torn,
        late=frames.late,
        gil_held=int((gil == 1).sum()),
        gil_known=int((gil >= 0).sum()),
    )
