"""The page of a diagnosis in the browser: one timeline, three weights, links, sizes, themes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from selenium import webdriver

from harness.diagnose.facts import Measurements
from harness.diagnose.page.flames import FlameGraph
from harness.diagnose.page.page import DiagnosePageContent, render_diagnose_page
from tests.browser.conftest import Page
from tests.browser.test_flame_page_hostile import HOSTILE
from tests.harness.diagnose.diagnoses import LOCKED
from tests.harness.diagnose.page.contents import content, profile_over
from topdown.waits.weight import Weight

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
THREADS = 5000


@pytest.fixture
def open_page(browser: webdriver.Chrome, tmp_path: Path) -> Open:
    """A function that writes the page of a content, opens it and waits for it."""

    def opened(made: DiagnosePageContent) -> Page:
        path = tmp_path / "report.html"
        path.write_text(render_diagnose_page(made), encoding="utf-8")
        browser.get_log("browser")
        browser.get(path.as_uri())
        page = Page(browser)
        page.until("return document.documentElement.dataset.ready")
        return page

    return opened


def show_media(browser: webdriver.Chrome, width: int, scheme: str) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def reset_media(browser: webdriver.Chrome) -> None:
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def cell(page: Page, selector: str) -> str:
    text: str = page.run("return document.querySelector(arguments[0]).textContent", selector)
    return text


def functions(page: Page) -> list[str]:
    shown: list[str] = page.run(
        "return [...document.querySelectorAll('#functions tbody tr')]"
        ".filter((row) => parseFloat(row.cells[0].textContent) > 0)"
        ".map((row) => row.cells[3].textContent.trim())"
    )
    return shown


def test_a_period_filters_all_panels_and_ends(open_page: Open) -> None:
    page = open_page(content())
    busy = "[data-share][data-of]"
    reads = "#disks [data-count]"
    assert functions(page) == ["work", "tail"]
    whole = cell(page, reads), cell(page, "#locks [data-time]"), cell(page, busy)
    page.run("stallscopeTimeline.choose(0, 0.1)")
    page.settled()
    assert functions(page) == ["work"]
    assert cell(page, reads) == "40"  # of 200 in 0.5 s
    assert cell(page, "#locks [data-time]") == "180 ms"
    assert "0.000 s to 0.100 s" in cell(page, "#period-scope")
    assert page.run("return document.querySelectorAll('.lane-mark:not([hidden])').length") == 5
    page.click("period-all")
    assert functions(page) == ["work", "tail"]
    assert (cell(page, reads), cell(page, "#locks [data-time]"), cell(page, busy)) == whole
    assert page.complaints() == []


def test_keys_select_move_and_extend_a_period(open_page: Open) -> None:
    page = open_page(content())
    page.run("document.getElementById('timeline-lanes').focus()")
    page.keys("\ue014")  # right: the first bin
    assert page.run("return stallscopeTimeline.period") == {"from": 0, "to": 1}
    page.keys("\ue014")
    page.browser.execute_script(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
        "{key: 'ArrowRight', shiftKey: true, bubbles: true}))"
    )
    assert page.run("return stallscopeTimeline.period") == {"from": 1, "to": 3}
    page.keys("\ue00c")
    assert page.run("return stallscopeTimeline.period") is None


def test_the_weight_is_switched_and_keeps_search_and_period(open_page: Open) -> None:
    other = profile_over(0.5, content().extent_ns[0], ("wait", "sleep"))
    made = content()
    flames = (made.flames[0], FlameGraph(Weight.OFF_CPU, other), made.flames[2])
    page = open_page(content(flames=flames))
    page.search("main")
    page.run("stallscopeTimeline.choose(0, 0.1)")
    page.run("document.querySelector('[data-weight=off-cpu]').click()")
    page.until("return stallscope.view.profile.functions.some((f) => f.name === 'wait')")
    page.settled()
    assert functions(page) == ["wait"]
    assert page.run("return document.getElementById('search').value") == "main"
    pressed = "return document.querySelector('[data-weight][aria-pressed=true]').dataset.weight"
    assert page.run(pressed) == "off-cpu"
    page.run("document.querySelector('[data-weight=cpu]').click()")
    page.until(f"{pressed} === 'cpu'")
    page.keys("i")  # keys act once, on the view that is shown
    assert page.run("return stallscope.view.state.icicle") is True
    assert page.complaints() == []


def test_links_lead_to_evidence_and_back_and_search_functions(open_page: Open) -> None:
    made = content()
    finding = made.result.findings[0]
    place = structs.replace(finding.where[0], kind="function", name="work")
    result = structs.replace(
        made.result, findings=(structs.replace(finding, where=(place,)), *made.result.findings[1:])
    )
    page = open_page(content(result=result))
    page.run("document.querySelector('.finding [data-search]').click()")
    page.settled()
    assert page.run("return location.hash") == "#flame"
    assert page.run("return stallscope.view.state.query") == "work"
    back = "return document.querySelector('.evidence-of a').getAttribute('href')"
    assert page.run(back) == "#finding-1"
    unlabelled = page.run(
        "return [...document.querySelectorAll('main button, main input, main [role=img]')]"
        ".filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))"
        ".map((e) => e.outerHTML)"
    )
    assert unlabelled == []


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_the_page_fits_its_window_in_both_themes(
    browser: webdriver.Chrome, open_page: Open, width: int
) -> None:
    made = content()
    try:
        for scheme in ("light", "dark"):
            show_media(browser, width, scheme)
            page = open_page(made)
            assert page.run("return document.documentElement.scrollWidth <= innerWidth"), scheme
            # Text is legible: its luminance differs from that of the card.
            paper, ink = page.run(
                "const of = (name) => getComputedStyle(document.querySelector('.finding h3'))"
                ".getPropertyValue(name).match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0);"
                "const card = getComputedStyle(document.querySelector('.finding'))"
                ".backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0);"
                "return [card, of('color')]"
            )
            assert (paper > 600 > 200 > ink) if scheme == "light" else (paper < 200 < 600 < ink)
    finally:
        reset_media(browser)


def test_hostile_names_are_shown_as_text(open_page: Open) -> None:
    made = content()
    finding = made.result.findings[0]
    (evidence, *_), (place, *_) = finding.evidence, finding.where
    findings = tuple(
        structs.replace(
            finding,
            sentence=name,
            cause=name,
            evidence=(structs.replace(evidence, name=name, source=name),),
            where=(structs.replace(place, kind="function", name=name),),
            try_=(name,),
            check=name,
        )
        for name in HOSTILE
    )
    result = structs.replace(made.result, title=HOSTILE[0], verdict=HOSTILE[1], findings=findings)
    profile = profile_over(0.5, made.extent_ns[0], (HOSTILE[0], HOSTILE[2]))
    flames = tuple(FlameGraph(weight, profile) for weight in Weight)
    page = open_page(content(result=result, flames=flames, recording_name=HOSTILE[2]))
    page.run("document.querySelectorAll('[data-search]').forEach((link) => link.click())")
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.settled()
    assert page.run("return window.pwned === undefined")
    assert page.run("return document.querySelectorAll('img, iframe, object').length") == 0
    assert page.complaints() == []
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("count", [1, THREADS])
def test_pages_of_few_and_many_threads_are_small_and_open(open_page: Open, count: int) -> None:
    made = content("main R(code)0-500")
    waits = made.waits
    threads = tuple(
        structs.replace(waits.threads[0], tid=1 + number, name=f"worker-{number}")
        for number in range(count)
    )
    group = structs.replace(waits.groups[0], threads=count)
    many = structs.replace(waits, threads=threads, groups=(group,))
    page = open_page(content("main R(code)0-500", waits=many, binned=None))
    assert cell(page, ".figures div:nth-child(2) dd") == f"{count:,}"
    assert page.run("return document.documentElement.outerHTML.length") < 2_000_000
    note = (
        "return document.getElementById('waits').parentElement"
        ".querySelector('.whole-only').checkVisibility()"
    )
    assert page.run(note) is False
    page.run("stallscopeTimeline.choose(0, 0.1)")
    assert page.run(note) is True
    assert page.complaints() == []


MISSING: dict[str, dict[str, Any]] = {
    "flame": {"flames": (FlameGraph(Weight.CPU, None, "no samples"),)},
    "slots": {"slots": None},
    "sleep-states": {"measurements": Measurements()},
    "machine": {"measurements": Measurements()},
    "disks": {"measurements": Measurements()},
    "latency": {"measurements": Measurements(), "reads": ()},
    "comparison": {"comparison": None},
}


@pytest.mark.parametrize("panel", MISSING)
def test_a_missing_panel_says_why_and_the_rest_works(open_page: Open, panel: str) -> None:
    page = open_page(content(LOCKED, **MISSING[panel]))
    assert len(cell(page, f"#{panel} .absent-panel p")) > 20
    assert "unavailable" in cell(page, f".contents [href='#{panel}']")
    page.run("stallscopeTimeline.choose(0, 0.1)")
    page.settled()
    assert cell(page, "#locks [data-time]") == "180 ms"
    assert page.complaints() == []
