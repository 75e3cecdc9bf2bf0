"""Results built of rows."""

from pathlib import Path

import pytest

from harness.diff.build import Sides, compare_rows, diff_result
from harness.diff.frames import frame_rows
from harness.diff.options import Basis, DiffOptions
from stallscope.documents import encode
from stallscope.errors import UsageError
from tests.documents import assert_valid
from tests.harness.diff.profiles import HOT, SIDE, profile

SIDES = Sides(SIDE, SIDE, "samples", "frame")


def _result(options: DiffOptions, **changes):
    a, b = (frame_rows(item, title="") for item in (profile(1), profile(2, **changes)))
    return diff_result(compare_rows(a, b, options), SIDES, options)


def _options(**values) -> DiffOptions:
    return DiffOptions(Path("a"), Path("b"), **values)


def test_frames_are_in_order_of_the_change() -> None:
    result = _result(_options(), slower=1.3)
    assert_valid("diff", encode(result))
    assert result.frames[0].name == f"function_{HOT}"
    assert result.frames[0].flagged
    sizes = [abs(row.delta) for row in result.frames]
    assert sizes == sorted(sizes, reverse=True)


def test_new_frames_appear_and_missing_ones_vanish() -> None:
    a, b = (frame_rows(item, title="") for item in (profile(1), profile(2, extra="new")))
    for pair, change in (((a, b), "appeared"), ((b, a), "vanished")):
        result = diff_result(compare_rows(*pair, _options()), SIDES, _options())
        row = next(row for row in result.frames if row.name == "new")
        assert (row.change, row.flagged) == (change, True)


@pytest.mark.parametrize(("limit", "failed"), [(0.01, True), (0.2, False), (None, False)])
def test_growth_above_the_limit_fails(limit, failed) -> None:
    result = _result(_options(fail_above=limit), slower=1.3)
    assert result.failed is failed
    assert result.largest_growth == pytest.approx(0.065, abs=0.01)


def test_equal_programs_never_fail() -> None:
    result = _result(_options(fail_above=0.0))
    assert not result.failed
    assert (result.flagged, result.largest_growth) == (0, None)


def test_values_per_request_are_seconds() -> None:
    result = _result(_options(basis=Basis.REQUEST, work=(1000.0, 1000.0)), slower=1.5)
    row = result.frames[0]
    assert row.a_share == pytest.approx(0.05, rel=0.02)  # half of 100 s, by 1,000 requests
    assert row.b_share == pytest.approx(0.075, rel=0.02)
    assert result.unit == "s per request"
    main = next(row for row in result.frames if row.name == "main")
    assert main.total_flagged


def test_values_per_time_need_a_duration() -> None:
    result = _result(_options(basis=Basis.TIME))
    assert result.frames[0].a_share > 1
    rows = frame_rows(profile(1), title="")
    unknown = type(rows)(rows.keys, rows.parts, None, rows.whole, None, "frame")
    for basis in (Basis.TIME,):
        with pytest.raises(UsageError, match="--per time: the recordings' values are not times"):
            compare_rows(unknown, unknown, _options(basis=basis))
