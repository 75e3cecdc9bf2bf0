"""Counts of samples by how they match the Python frames that were read."""

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from topdown.stacks.python.frames import PythonFrames


class FrameMatch(IntEnum):
    """How a sample matches the Python frames that were read."""

    OTHER = 0  # not a process whose interpreter was read
    FRAMED = 1  # it has Python frames
    NATIVE = 2  # nothing in its native chain evaluates Python
    MOVED_ON = 3  # frames were read, but at another moment than the native chain
    UNREAD = 4  # no frames were read: too late, or torn


@dataclass(frozen=True, slots=True)
class PythonShares:
    """Counts of samples of processes whose interpreters were read, by FrameMatch.

    ``trampolined``: number of processes that name functions by perf trampolines; they are not in
    the other counts. ``torn`` and ``late``: failed reads while recording. ``gil_held``: framed
    samples whose thread held the GIL, out of ``gil_known``.
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
        """Return a count as a share of the samples; NaN without samples."""
        return count / self.samples if self.samples else math.nan

    @property
    def gil_share(self) -> float:
        """Return the share of framed samples whose thread held the GIL; NaN if not known."""
        return self.gil_held / self.gil_known if self.gil_known else math.nan


def count_shares(
    frames: PythonFrames,
    snapshot: npt.NDArray[np.int64],
    is_python: npt.NDArray[np.bool_],
    match: npt.NDArray[np.int8],
) -> PythonShares:
    """Return the counts; ``snapshot`` (-1: none), ``is_python`` and ``match`` are by sample."""
    counts = np.bincount(match[is_python], minlength=len(FrameMatch)).tolist()
    gil = np.append(frames.gil, np.int8(-1))[snapshot[is_python & (match == FrameMatch.FRAMED)]]
    interpreters = frames.interpreters
    versions = {interpreter.version for interpreter in interpreters if interpreter.how == "offsets"}
    return PythonShares(
        versions=tuple(sorted(versions)),
        trampolined=sum(interpreter.how == "trampoline" for interpreter in interpreters),
        samples=int(is_python.sum()),
        framed=counts[FrameMatch.FRAMED],
        native=counts[FrameMatch.NATIVE],
        moved_on=counts[FrameMatch.MOVED_ON],
        unread=counts[FrameMatch.UNREAD],
        torn=frames.torn,
        late=frames.late,
        gil_held=int((gil == 1).sum()),
        gil_known=int((gil >= 0).sum()),
    )
