"""The panels of a watch in a page."""

from pathlib import Path

from msgspec import structs

from harness.io.watch.panel import panels
from harness.io.watch.result import watch_result
from harness.page.panels import Head, render_panels
from tests.harness.io.watch.watches import SCOPE, watch_of_events


def test_hostile_names_are_escaped(tmp_path: Path) -> None:
    result = watch_result(watch_of_events(tmp_path), SCOPE, ["a note"])
    hostile = structs.replace(result.rows[0], device='"><script>alert(1)</script>')
    result = structs.replace(result, rows=(hostile, *result.rows[1:]))
    page = render_panels(panels(result), Head(result.title, "x", "disk", result.source), {})
    assert "<script>alert" not in page
    assert "<b>\x1b" not in page
    assert "\u202e" not in page
    assert page.count('class="watch-cell"') > 10
