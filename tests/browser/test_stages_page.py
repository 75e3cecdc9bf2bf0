"""Pages of a load and of the stages lab in a browser: light and dark."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from selenium import webdriver

from harness.labs.stages.page_files import page_data
from harness.labs.stages.panel import SideFlame, render_page
from harness.labs.stages.result import stages_result
from harness.load import panel as load_panel
from harness.page.latency_panel import Series
from stallscope.histograms import IntervalLog
from tests.browser.test_slots_page import LUMINANCE
from tests.harness.labs.stages.measurements import measurement, write_empty_logs
from tests.harness.workload.histograms import log_of
from topdown.stacks.profile import Profile

pytestmark = pytest.mark.browser

WIDE = "return document.documentElement.scrollWidth <= window.innerWidth"


def stages_html(folder: Path, profile: Profile) -> str:
    lab = measurement(folder)
    write_empty_logs(lab)
    flames = [SideFlame(name, profile, f"{name}/report.html") for name in ("unstaged", "staged")]
    series = [Series(name, log_of(100, 2_000), False) for name in ("unstaged", "staged")]
    data = replace(page_data(lab), flames=flames, latency=series)
    return render_page(stages_result(lab), data)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_flame_graphs_are_side_by_side(
    browser: webdriver.Chrome, tmp_path: Path, profile_of: Callable[..., Profile], scheme: str
) -> None:
    path = tmp_path / "report.html"
    profile = profile_of([(("main", "work"), 90), (("main", "rest"), 10)])
    path.write_text(stages_html(tmp_path, profile), encoding="utf-8")
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        browser.get_log("browser")
        browser.get(path.as_uri())
        assert browser.get_log("browser") == []
        left, right = browser.execute_script(
            "return [...document.querySelectorAll('.flames svg')].map((svg) => {"
            "const box = svg.getBoundingClientRect(); return [box.left, box.right, box.bottom]})"
        )
        assert left[1] <= right[0]
        assert abs(left[2] - right[2]) < 1
        frame = "return getComputedStyle(document.querySelector('.flames svg rect.user:not(.odd)')).fill"
        assert browser.execute_script(frame) == "rgb(243, 183, 101)"
        sheet = browser.execute_script(LUMINANCE, ".panel", "backgroundColor")
        assert (sheet > 0.5) == (scheme == "light")
        for place in (".stages-table td.better", ".latency-legend", "#verdict p"):
            text = browser.execute_script(LUMINANCE, place, "color")
            contrast = (max(sheet, text) + 0.05) / (min(sheet, text) + 0.05)
            assert contrast >= (3.0 if "better" in place else 4.5), place
        assert browser.execute_script(WIDE)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_page_of_a_load_has_four_plots(browser: webdriver.Chrome, tmp_path: Path) -> None:
    path = tmp_path / "load.html"
    series = [Series("latency", log_of(100, 2_000)), Series("none", IntervalLog(()))]
    text = load_panel.render_page(series, title="Load", recording_name="run", facts={"rate": "1"})
    path.write_text(text, encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert browser.get_log("browser") == []
    bars, lines = browser.execute_script(
        "return ['rect.plot-bar', 'polyline'].map((name) => document.querySelectorAll(name).length)"
    )
    assert bars >= 2
    assert lines == 3  # the percentile curve, p99 over time and the rate
    cells = browser.execute_script(
        "return [...document.querySelectorAll('tbody td.number')].map((cell) => cell.textContent)"
    )
    assert cells[0] == "300"
    assert "n/a" in cells
    assert browser.execute_script(WIDE)
