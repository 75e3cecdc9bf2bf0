"""The text of `stallscope diff`."""

from pathlib import Path

from harness.diff.build import Sides, compare_rows, diff_result
from harness.diff.frames import frame_rows
from harness.diff.options import Basis, DiffOptions
from harness.diff.text import lines, shown_rows
from tests.harness.diff.profiles import SIDE, profile


def _result(slower: float, **options):
    chosen = DiffOptions(Path("a"), Path("b"), **options)
    a = frame_rows(profile(1, samples=20_000), title="")
    b = frame_rows(profile(2, samples=20_000, slower=slower), title="")
    sides = Sides(SIDE, SIDE, "samples", "frame", ("Kernels differ.",))
    return diff_result(compare_rows(a, b, chosen), sides, chosen)


def test_the_verdict_names_the_largest_change() -> None:
    text = "\n".join(lines(_result(1.5), 120, 5))
    assert "Largest change: function_3, +" in text
    assert "differs" in text
    assert "Kernels differ." in text
    assert "more rows; --json has all" in text


def test_equal_recordings_differ_by_noise_only() -> None:
    assert "No frame differs by more than the noise" in next(lines(_result(1.0), 120, 5))


def test_values_per_request_have_their_unit() -> None:
    text = "\n".join(lines(_result(1.5, basis=Basis.REQUEST, work=(1e6, 1e6)), 120, 3))
    assert "µs" in text
    assert "%  " not in text.split("95 %")[0]


def test_flagged_rows_are_shown_first() -> None:
    result = _result(1.5)
    rows = shown_rows(result, 1)
    assert [row.name for row in rows] == ["function_3"]
