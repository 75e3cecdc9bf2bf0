"""The page of `stallscope diff`."""

from pathlib import Path

from harness.diff.build import Sides, compare_rows, diff_result
from harness.diff.frames import frame_rows
from harness.diff.options import DiffOptions
from harness.diff.panel import diff_page
from harness.diff.session import flame_markup
from tests.harness.diff.profiles import SIDE, profile


def test_the_table_is_before_the_flame_graph() -> None:
    a, b = profile(1, samples=5000), profile(2, samples=5000, extra="<new>")
    options = DiffOptions(Path("a"), Path("b"))
    compared = compare_rows(frame_rows(a, title=""), frame_rows(b, title=""), options)
    result = diff_result(compared, Sides(SIDE, SIDE, "samples", "frame", ("Forced.",)), options)
    page = diff_page(result, flame_markup(a, b))
    assert page.index("<table") < page.index("<svg")
    assert "&lt;new&gt;" in page
    assert "Forced." in page
    assert "style=" not in page
    assert "<svg" not in diff_page(result, None)
