"""What the summary says of Python frames."""

from dataclasses import replace

import pytest

from harness.profile.analysis import switches_of_ours
from harness.profile.python_text import python_document, python_text
from topdown.stacks.python.shares import PythonShares

SHARES = PythonShares(
    versions=("3.11.2",), trampolined=0, samples=1000, framed=940, native=30, moved_on=20,
    unread=10, torn=4, late=3, gil_held=470, gil_known=940,
)  # fmt: skip
NONE = replace(
    SHARES, versions=(), samples=0, framed=0, native=0, moved_on=0, unread=0, gil_held=0,
    gil_known=0,
)  # fmt: skip


def test_the_line_says_how_many_samples_have_frames_and_why_others_have_not() -> None:
    assert python_text(SHARES) == (
        "94.0 % of the samples of CPython 3.11.2 have Python frames; 3.0 % have no interpreter on their "
        "stacks; 2.0 % moved on before the frames were read; 1.0 % were not read; GIL held in 50.0 %"
    )


def test_what_did_not_happen_is_not_said() -> None:
    calm = replace(SHARES, framed=1000, native=0, moved_on=0, unread=0, gil_known=0, gil_held=0)
    assert python_text(calm) == ("100.0 % of the samples of CPython 3.11.2 have Python frames")


def test_trampolines_are_told() -> None:
    assert python_text(replace(NONE, trampolined=1)) == (
        "1 process names its functions by perf trampolines"
    )
    assert python_text(replace(NONE, trampolined=2)) == (
        "2 processes name their functions by perf trampolines"
    )


def test_the_document_is_null_without_an_interpreter() -> None:
    assert python_document(None) is None
    assert python_document(NONE) is None
    assert python_text(NONE) == ""


def test_unknown_shares_are_null_not_zero() -> None:
    document = python_document(replace(NONE, trampolined=1))
    assert document is not None
    assert document["framed_share"] is None
    assert document["gil_held_share"] is None
    assert document["trampolined_processes"] == 1


def test_the_document_has_shares() -> None:
    document = python_document(SHARES)
    assert document is not None
    assert document["framed_share"] == 0.94
    assert document["gil_held_share"] == 0.5
    assert document["torn_reads"] == 4


@pytest.mark.parametrize("name", ["context-switches", "PERF_COUNT_SW_CONTEXT_SWITCHES"])
def test_switches_that_reading_makes_are_told(name: str) -> None:
    (warning,) = switches_of_ours(("task-clock", name), SHARES)
    assert "--python off" in warning.message


def test_other_counts_and_recordings_without_reading_have_no_such_warning() -> None:
    assert switches_of_ours(("task-clock", "page-faults"), SHARES) == ()
    assert switches_of_ours(("context-switches",), None) == ()
    assert switches_of_ours(("context-switches",), NONE) == ()
