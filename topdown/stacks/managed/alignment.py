"""Alignment of interpreter stacks with native chains that belong to a slightly earlier moment.

The runs of a stack are read some hundred microseconds after the sample. If a function that is
written in C calls a block at a high rate, the number of runs differs in half of the samples. The
outer runs are the same at both moments. Further runs that the native chain has are taken from other
stacks with the same beginning, as far as all these agree.
"""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from topdown.stacks.python.frames import PythonStacks

Frame = tuple[int, int]  # code, instruction
Run = tuple[Frame, ...]
_MAX_RUNS = 64  # of a stack; deeper ones are not aligned
_MAX_REST = 16  # frames of a run that the stack may lack


def aligned(
    stacks: PythonStacks, pairs: Iterable[tuple[int, int, int]]
) -> tuple[PythonStacks, list[int], list[bool]]:
    """Return the stacks with those of the pairs appended, their indexes, and which have all names.

    ``pairs``: a stack, the number of runs of the native chain, and the code that stands for a run
    without a name.
    """
    runs_of = runs_of_stacks(stacks)
    following = _following_runs(runs_of)
    added: dict[tuple[Run, ...], int] = {}
    indexes, complete = [], []
    for stack, count, nameless in pairs:
        runs = runs_of[stack][:count]
        while len(runs) < count:
            rest, further = following.get(_key(runs), ((), ()))
            if not further:
                break
            runs = (*runs[:-1], runs[-1] + rest, further) if runs else (further,)
        complete.append(len(runs) == count)
        runs += (((nameless, 0),),) * (count - len(runs))
        indexes.append(len(runs_of) + added.setdefault(runs, len(added)))
    return with_stacks(stacks, list(added)), indexes, complete


def runs_of_stacks(stacks: PythonStacks) -> list[tuple[Run, ...]]:
    """Return the runs of each stack, outermost first, as their frames."""
    return [_runs(stacks, stack) for stack in range(len(stacks.run_offset) - 1)]


def _runs(stacks: PythonStacks, stack: int) -> tuple[Run, ...]:
    first, end = stacks.run_offset[stack : stack + 2].tolist()
    bounds = stacks.frame_offset[first : end + 1].tolist()
    return tuple(
        tuple(
            zip(
                stacks.code[begin:until].tolist(),
                stacks.instruction[begin:until].tolist(),
                strict=True,
            )
        )
        for begin, until in pairwise(bounds)
    )


def _key(runs: tuple[Run, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(code for code, _ in run) for run in runs)


def _following_runs(
    stacks: list[tuple[Run, ...]],
) -> dict[tuple[tuple[int, ...], ...], tuple[Run, Run]]:
    """Return what follows a beginning of stacks: the rest of its last run, and the next run.

    Of both, the frames that all stacks with this beginning have in common.
    """
    following: dict[tuple[tuple[int, ...], ...], tuple[Run, Run]] = {}

    def add(key: tuple[tuple[int, ...], ...], rest: Run, further: Run) -> None:
        known = following.get(key)
        if known is not None:
            rest, further = common_frames(known[0], rest), common_frames(known[1], further)
        following[key] = rest, further

    for runs in stacks:
        codes = _key(runs)
        if runs:
            add((), (), runs[0])
        for depth in range(1, min(len(runs), _MAX_RUNS)):
            last, further = runs[depth - 1], runs[depth]
            for length in range(max(1, len(last) - _MAX_REST), len(last) + 1):
                key = (*codes[: depth - 1], codes[depth - 1][:length])
                add(key, last[length:], further)
    return following


def common_frames(first: Run, second: Run) -> Run:
    """Return the outermost frames that two runs share; a line that differs is not known."""
    common: list[Frame] = []
    for first_frame, second_frame in zip(first, second, strict=False):
        if first_frame[0] != second_frame[0]:
            break
        common.append(first_frame if first_frame == second_frame else (first_frame[0], 0))
    return tuple(common)


def with_stacks(stacks: PythonStacks, added: list[tuple[Run, ...]]) -> PythonStacks:
    """Return the stacks with further ones."""
    run_counts = [len(runs) for runs in added]
    lengths = [len(run) for runs in added for run in runs]
    frames = np.array([frame for runs in added for run in runs for frame in run], np.int64)
    frames = frames.reshape(-1, 2)
    return PythonStacks(
        _continued(stacks.run_offset, run_counts),
        _continued(stacks.frame_offset, lengths),
        np.append(stacks.code, frames[:, 0]),
        np.append(stacks.instruction, frames[:, 1]),
    )


def _continued(offset: npt.NDArray[np.int64], lengths: list[int]) -> npt.NDArray[np.int64]:
    further = offset[-1] + np.cumsum(np.array(lengths, np.int64))
    return np.append(offset, further).astype(np.int64)
