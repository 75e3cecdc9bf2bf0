"""The page of the footprint sweep."""

from dataclasses import replace
from pathlib import Path

from msgspec import structs

from harness.labs.stages.sweep.panel import figures, render_page
from harness.labs.stages.sweep.result import sweep_result
from tests.harness.labs.stages.sweep.sweeps import sweep


def test_gain_and_misses_are_plotted_with_both_caches_marked(tmp_path: Path) -> None:
    page = render_page(sweep_result(sweep(tmp_path)), "sweep", {"host": "h"})
    assert page.count('class="plot"') == 3
    assert page.count("plot-line curve-mark mark-0") == 2  # L1I in both plots by footprint
    assert page.count("plot-line curve-mark mark-1") == 2
    assert "L1I 32 KB" in page
    assert "Model &lt;b&gt;X" in page


def test_unknown_caches_and_misses_leave_plots_out(tmp_path: Path) -> None:
    whole = sweep(tmp_path)
    bare = sweep_result(replace(whole, l2_bytes=None, batches=()))
    assert len(figures(bare)) == 2
    assert figures(structs.replace(bare, footprints=())) == []
