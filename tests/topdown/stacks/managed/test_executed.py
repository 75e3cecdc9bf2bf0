"""Runs at the moment of a sample, on hand-written stacks. Functions 1 to 9 have the codes 1 to 9."""

import numpy as np

from tests.topdown.stacks.managed.test_alignment import NAMELESS, Stack, runs_of, stacks_of
from topdown.stacks.managed.code_ranges import NO_CODE
from topdown.stacks.managed.executed import ExecutedRuns, LoopMoment

METHOD = 20  # is written in C


def made(
    stacks: list[Stack], *moments: tuple[int, tuple[int, ...]], calls: bool = False
) -> tuple[Stack, bool]:
    """Return the runs of the last moment, and whether all of them have names."""
    code_of = np.full(NAMELESS + 1, NO_CODE)
    code_of[1:10] = np.arange(1, 10)
    executed = ExecutedRuns(stacks_of(stacks), code_of, np.arange(NAMELESS + 1))
    listed = [LoopMoment(stack, codes, calls, NAMELESS) for stack, codes in moments]
    samples = [100 if stack == 0 else 1 for stack, _ in moments]
    result, indexes, complete = executed.made(listed, samples)
    return runs_of(result, indexes[-1]), complete[-1]


def test_functions_that_were_called_after_the_sample_are_removed() -> None:
    assert made([[[(1, 5), (2, 6), (3, 7)]]], (0, (2,))) == ([[(1, 5), (2, 6)]], True)


def test_a_function_that_returned_has_the_callers_of_other_samples() -> None:
    stacks: list[Stack] = [[[(1, 5), (2, 6), (3, 7)]], [[(1, 5), (4, 8)]]]
    assert made(stacks, (0, (3,)), (1, (3,))) == ([[(1, 0), (2, 0), (3, 0)]], True)


def test_a_sample_that_was_not_read_has_the_frames_of_others() -> None:
    stacks: list[Stack] = [[[(1, 5), (METHOD, 0)], [(2, 6)]]]
    assert made(stacks, (0, (1, 2)), (-1, (1, 2))) == ([[(1, 0), (METHOD, 0)], [(2, 0)]], True)


CALLERS: list[Stack] = [
    [[(1, 5), (2, 6), (4, 7)]],
    [[(1, 5), (3, 6), (4, 7)]],
    [[(1, 5), (3, 6), (4, 7)]],
    [[(1, 5)]],
]


def test_callers_that_are_rare_do_not_count() -> None:
    assert made(CALLERS, (0, (4,)), (1, (4,)), (3, (4,))) == ([[(1, 0), (2, 0), (4, 0)]], True)


def test_callers_that_differ_have_no_name() -> None:
    runs, complete = made(CALLERS, (0, (4,)), (1, (4,)), (2, (4,)), (3, (4,)))
    assert runs == [[(1, 0), (NAMELESS, 0), (4, 0)]]
    assert not complete


def test_callers_of_a_function_that_calls_itself_have_it_once() -> None:
    stacks: list[Stack] = [
        [[(1, 5), (2, 6), (2, 6), (2, 6)]],
        [[(1, 5), (2, 6), (2, 6)]],
        [[(1, 5)]],
    ]
    assert made(stacks, (0, (2,)), (1, (2,)), (2, (2,))) == ([[(1, 0), (2, 0)]], True)


def test_a_loop_that_is_about_to_start_has_no_frame() -> None:
    assert made([[[(1, 5), (2, 6)]]], (0, (2, NO_CODE))) == ([[(1, 5), (2, 6)], []], True)


def test_a_function_that_no_sample_has_is_not_guessed() -> None:
    assert made([[[(1, 5)]]], (0, (2,))) == ([[(NAMELESS, 0)]], False)


def test_methods_in_c_behind_the_innermost_function_need_a_native_call() -> None:
    stacks: list[Stack] = [[[(1, 5), (METHOD, 0)]]]
    assert made(stacks, (0, (1,))) == ([[(1, 5)]], True)
    assert made(stacks, (0, (1,)), calls=True) == ([[(1, 5), (METHOD, 0)]], True)


def test_a_loop_without_known_code_keeps_what_was_read() -> None:
    stacks: list[Stack] = [[[(1, 5), (2, 6)], [(3, 7), (4, 8)]]]
    assert made(stacks, (0, (NO_CODE, 3))) == ([[(1, 5), (2, 6)], [(3, 7)]], True)


def test_ruby_s_outermost_frame_is_no_call_of_the_loop() -> None:
    stacks: list[Stack] = [[[(9, 0)], [(1, 5), (METHOD, 0)], [(2, 6), (3, 7)]]]
    assert made(stacks, (0, (1, 2))) == ([[(1, 5), (METHOD, 0)], [(2, 6)]], True)
