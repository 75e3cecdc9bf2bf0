"""Python frames in the summary and in the result."""

from dataclasses import replace

import pytest

from harness.profile.analysis import added_switches_warning
from harness.profile.python_text import python_text
from harness.profile.result import PythonResult, python_result
from tests.harness.profile.python_shares import NONE, SHARES
from topdown.stacks.python.shares import PythonShares


def result_of(shares: PythonShares) -> PythonResult:
    result = python_result(shares)
    assert result is not None
    return result


def test_the_text_has_the_share_with_frames_and_the_others_by_reason() -> None:
    assert python_text(result_of(SHARES)) == (
        "94.0 % of the samples of CPython 3.11.2 have Python frames; 3.0 % have no interpreter on their "
        "stacks; 2.0 % moved on before the frames were read; 1.0 % were not read; GIL held in 50.0 %"
    )


def test_zero_shares_are_omitted() -> None:
    calm = replace(SHARES, framed=1000, native=0, moved_on=0, unread=0, gil_known=0, gil_held=0)
    assert python_text(result_of(calm)) == (
        "100.0 % of the samples of CPython 3.11.2 have Python frames"
    )


def test_trampolines_are_counted() -> None:
    assert python_text(result_of(replace(NONE, trampolined=1))) == (
        "1 process names its functions by perf trampolines"
    )
    assert python_text(result_of(replace(NONE, trampolined=2))) == (
        "2 processes name their functions by perf trampolines"
    )


def test_unknown_shares_are_none_not_zero() -> None:
    python = result_of(replace(NONE, trampolined=1))
    assert python.framed_share is None
    assert python.gil_held_share is None
    assert python.trampolined_processes == 1


def test_the_result_has_shares() -> None:
    python = result_of(SHARES)
    assert python.framed_share == 0.94
    assert python.gil_held_share == 0.5
    assert python.torn_reads == 4


@pytest.mark.parametrize("name", ["context-switches", "PERF_COUNT_SW_CONTEXT_SWITCHES"])
def test_switches_added_by_reading_give_a_warning(name: str) -> None:
    (warning,) = added_switches_warning(("task-clock", name), SHARES)
    assert "--python off" in warning.message


def test_other_counts_and_recordings_give_no_such_warning() -> None:
    assert added_switches_warning(("task-clock", "page-faults"), SHARES) == ()
    assert added_switches_warning(("context-switches",), None) == ()
    assert added_switches_warning(("context-switches",), NONE) == ()
