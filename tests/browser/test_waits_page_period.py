"""Selection of a period on the page of waits: all tables, bars and the graph follow."""

from pathlib import Path

import pytest
from selenium import webdriver

from harness.waits.binned import binned_values
from harness.waits.build import waits_result
from harness.waits.page import render_waits_page
from stallscope.recordings import Recording
from tests.browser.conftest import Page
from tests.harness.waits.analyses import analysis

pytestmark = pytest.mark.browser
# The lock is taken in the first half of the second, the disk is read in the second half.
TEXT = """
    hog R(code)0-1000
    w-1@1 W(?,sleep)0-1 R1-10 W(hog,lock)10-490 R490-600 W(disk,read)600-800 R800-1000
    """
CELLS = (
    "return [...document.querySelectorAll(arguments[0])].filter((row) => !row.hidden)"
    ".map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
)
LOCKS = "#locks .scroll:first-of-type tbody tr"


@pytest.fixture
def page(browser: webdriver.Chrome, tmp_path: Path) -> Page:
    made = analysis(TEXT, cpu_sample_every=1, whole_cpus=True)
    result = waits_result(made, recording=tmp_path, report=None)
    recording = Recording(tmp_path, tmp_path / "samples.perf", None)
    text = render_waits_page(result, recording, binned_values(made, tmp_path))
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    page = Page(browser)
    page.until("return document.documentElement.dataset.ready")
    return page


def choose(page: Page, begin: str, end: str) -> None:
    for field, text in (("waits-to", end), ("waits-from", begin), ("waits-to", end)):
        page.run(
            "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('change'))",
            field,
            text,
        )
    page.settled()


def test_a_period_limits_all_tables_and_ends(page: Page) -> None:
    groups = page.run(CELLS, ".waits-groups tbody tr")
    causes = page.run(CELLS, "#causes .scroll:first-of-type tbody tr")
    locks = page.run(CELLS, LOCKS)
    assert any("480 ms" in row for row in locks)
    choose(page, "0.6", "0.8")
    assert page.run(CELLS, LOCKS) == []
    (cause,) = page.run(CELLS, "#causes .scroll:first-of-type tbody tr")
    assert cause[:3] == ["disk", "200 ms", "100.0 %"]
    shown = {row[0]: row[2] for row in page.run(CELLS, ".waits-groups tbody tr")}
    assert shown == {"hog": "200 ms", "w": "200 ms"}
    edges = page.run(
        "return [...document.querySelectorAll('[data-edge]')]"
        ".map((edge) => edge.getAttribute('visibility'))"
    )
    assert sorted(edges) == ["hidden", "hidden", "visible", "visible"]  # lines and times
    choose(page, "0.1", "0.2")
    (lock,) = page.run(CELLS, LOCKS)
    assert lock[1:3] == ["100 ms", "0"]
    page.click("waits-all")
    assert page.run(CELLS, ".waits-groups tbody tr") == groups
    assert page.run(CELLS, "#causes .scroll:first-of-type tbody tr") == causes
    assert page.run(CELLS, LOCKS) == locks
    assert page.complaints() == []
