"""Alignment of interpreter stacks with native chains of another moment, on hand-written stacks."""

import numpy as np

from topdown.stacks.managed.alignment import aligned
from topdown.stacks.python.frames import PythonStacks

NAMELESS = 99
Stack = list[list[tuple[int, int]]]


def stacks_of(stacks: list[Stack]) -> PythonStacks:
    """Return the stacks; a stack consists of runs of frames (code, line), outermost first."""
    frames = np.array([frame for stack in stacks for run in stack for frame in run], np.int64)
    lengths = [len(run) for stack in stacks for run in stack]
    return PythonStacks(
        np.append(0, np.cumsum([len(stack) for stack in stacks])).astype(np.int64),
        np.append(0, np.cumsum(lengths)).astype(np.int64),
        frames.reshape(-1, 2)[:, 0],
        frames.reshape(-1, 2)[:, 1],
    )


def align(stacks: list[Stack], runs: int, stack: int = 0) -> tuple[Stack, bool]:
    """Return a stack with this many runs, and whether all of them have names."""
    result, (index,), (complete,) = aligned(stacks_of(stacks), [(stack, runs, NAMELESS)])
    return runs_of(result, index), complete


def runs_of(result: PythonStacks, index: int) -> Stack:
    """Return the runs of a stack."""
    first, end = result.run_offset[index : index + 2].tolist()
    frames = list(zip(result.code.tolist(), result.instruction.tolist(), strict=True))
    bounds = result.frame_offset.tolist()
    return [frames[bounds[run] : bounds[run + 1]] for run in range(first, end)]


def test_inner_runs_that_the_chain_lacks_are_removed() -> None:
    assert align([[[(1, 5)], [(2, 6)]]], 1) == ([[(1, 5)]], True)


def test_a_missing_run_comes_from_stacks_with_the_same_beginning() -> None:
    stacks = [[[(1, 5), (2, 0)]], [[(1, 5), (2, 0)], [(3, 7)]]]
    assert align(stacks, 2) == ([[(1, 5), (2, 0)], [(3, 7)]], True)


def test_the_rest_of_the_last_run_is_completed() -> None:
    stacks = [[[(1, 5)]], [[(1, 5), (2, 0)], [(3, 7)]]]
    assert align(stacks, 2) == ([[(1, 5), (2, 0)], [(3, 7)]], True)


def test_frames_in_which_stacks_differ_are_left_out() -> None:
    stacks = [[[(1, 5)]], [[(1, 5)], [(3, 7), (4, 1)]], [[(1, 5)], [(3, 8), (5, 1)]]]
    assert align(stacks, 2) == ([[(1, 5)], [(3, 0)]], True)


def test_a_run_without_a_common_function_has_no_name() -> None:
    stacks = [[[(1, 5)]], [[(1, 5)], [(3, 7)]], [[(1, 5)], [(4, 7)]]]
    assert align(stacks, 2) == ([[(1, 5)], [(NAMELESS, 0)]], False)


def test_no_pairs_leave_the_stacks() -> None:
    stacks = stacks_of([[[(1, 5)]]])
    result, indexes, complete = aligned(stacks, [])
    assert (indexes, complete) == ([], [])
    assert result.run_offset.tolist() == [0, 1]
