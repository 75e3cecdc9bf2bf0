"""The flame page in a browser: user actions and their results."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.long_tests import long_tests
from topdown.stacks.profile import Function, FunctionKind, Profile, Thread

pytestmark = pytest.mark.browser

Open = Callable[[Profile], Any]

KERNEL = Function("vfs_read", "[kernel]", FunctionKind.KERNEL)
HOT = Function("hot", "/bin/it", FunctionKind.USER, (("src/hot.c:12", 40), ("src/hot.c:9", 8)))
ROWS = [
    (("main", "work", HOT), 500),
    (("main", "work", "parse", "hot_cache"), 100, 1),
    (("main", "read", KERNEL), 200, 1),
    (("main", "work", "work", "parse"), 100),
    (("idle",), 100, 2),
]
THREADS = (
    Thread(10, 10, "server", "main"),
    Thread(10, 11, "server", "io"),
    Thread(20, 20, "helper", "helper"),
)


@pytest.fixture
def page(opened: Open, profile_of: Callable[..., Profile]) -> Any:
    return opened(profile_of(ROWS, threads=THREADS, title="known shares"))


def test_opens_from_a_file_without_console_messages(page: Any) -> None:
    assert page.complaints() == []
    assert page.browser.title == "known shares \u00b7 stallscope"
    assert page.run("return stallscope.timings.open_ms") > 0
    assert page.run("return Object.keys(window).filter((key) => key.startsWith('stall'))") == []
    assert page.frame("work")["width"] / page.frame("all")["width"] == pytest.approx(0.7)


def test_search_share_counts_a_stack_once(page: Any) -> None:
    assert page.search("hot").startswith("60.0 % matched \u00b7 600 ms \u00b7 2 functions")
    assert page.search("WORK").startswith("70.0 % matched \u00b7 700 ms \u00b7 1 function")
    assert page.search("o.").startswith("0 %")  # literal text that no frame has
    page.click("search-regex")
    assert page.search("^(idle|vfs)").startswith("30.0 %")
    assert page.search("(") == "not a regular expression"
    page.click("search-regex")
    assert page.search("module:KERNEL").startswith("20.0 %")
    assert page.search("") == ""


def test_search_highlights_frames(page: Any) -> None:
    before = page.pixel("parse")
    assert page.search("parse").startswith("20.0 %")
    red, green, blue = page.pixel("parse")
    assert [red, green, blue] != before
    assert min(red, blue) > green + 40  # only matches are purple


def test_zoom_in_and_out(page: Any) -> None:
    page.zoom("work")
    assert page.frame("work")["width"] == page.frame("all")["width"]
    assert page.frame("hot")["width"] / page.frame("work")["width"] == pytest.approx(5 / 7)
    assert page.element("path").text.replace("\n", " ") == "all main work"
    assert page.search("parse").startswith("28.6 %")  # of the view
    page.element("search").send_keys(Keys.ESCAPE)
    page.keys(Keys.BACKSPACE)
    assert page.run("return stallscope.view.nameAt(stallscope.view.state.zoom)") == "main"
    page.keys(Keys.ESCAPE)
    assert page.run("return stallscope.view.state.zoom") == 0
    page.zoom("read")
    actions = page.point_at("main")
    actions.pointer_action.double_click()
    actions.perform()
    page.until("return stallscope.view.state.zoom === 0")


def test_filter_by_thread_and_process(page: Any) -> None:
    page.click("threads-open")
    rows = page.run(
        "return [...document.querySelectorAll('#threads-list label')].map((l) => l.textContent)"
    )
    assert rows == [
        "server pid 1090.0 %", "main tid 1060.0 %", "io tid 1130.0 %",
        "helper pid 2010.0 %", "helper tid 2010.0 %",
    ]  # fmt: skip
    page.run("document.querySelector('#threads-list .process input').click()")
    page.settled()
    assert page.frame("main") is None
    assert page.frame("idle")["width"] == page.frame("all")["width"]
    page.click("threads-none")
    assert "have no samples" in page.element("graph-empty").text
    page.element("threads-search").send_keys("io")
    page.click("threads-all")
    assert page.element("threads-open").text == "1 of 3 threads"
    assert page.search("vfs").startswith("66.7 %")
    page.keys(Keys.ESCAPE)


def test_keyboard_moves_zooms_and_announces(page: Any) -> None:
    page.run("document.getElementById('graph').focus()")
    page.keys(Keys.ARROW_UP)
    page.keys(Keys.ARROW_UP)
    announced = "return document.getElementById('announce').textContent"
    assert page.run(announced).startswith("work: 700 ms, 70.0 % of view")
    page.keys(Keys.ARROW_RIGHT)
    assert page.run(announced).startswith("read: 200 ms")
    page.keys(Keys.ENTER)
    assert page.frame("read")["width"] == page.frame("all")["width"]
    page.keys(Keys.ESCAPE)
    page.keys("i")
    assert page.element("as-icicle").get_attribute("aria-pressed") == "true"
    page.keys("/")
    assert page.browser.switch_to.active_element.get_attribute("id") == "search"
    page.keys(Keys.ESCAPE)
    page.keys("?")
    assert page.element("help").is_displayed()
    page.keys(Keys.ESCAPE)
    assert not page.element("help").is_displayed()


def test_table_sorts_and_follows_search_and_zoom(page: Any) -> None:
    assert page.column(3)[:2] == ["hot", "vfs_read"]
    assert page.column(0)[:2] == ["50.0 %", "20.0 %"]
    page.browser.find_element("css selector", "th[data-key=total] button").click()
    assert page.column(3)[:2] == ["main", "work"]
    assert page.column(1)[:2] == ["90.0 %", "70.0 %"]
    page.browser.find_element("css selector", "th[data-key=name] button").click()
    assert page.column(3) == sorted(page.column(3))
    page.search("hot")
    page.click("functions-matching")
    assert page.column(3) == ["hot", "hot_cache"]
    page.click("functions-matching")
    page.element("search").send_keys(Keys.ESCAPE)
    page.zoom("read")
    assert page.column(3) == ["read", "vfs_read"]


def test_detail_names_callers_callees_and_lines(page: Any) -> None:
    page.zoom("hot")
    page.keys(Keys.BACKSPACE)
    text = page.element("detail").text
    assert "Called by" in text
    assert "work" in text
    assert "src/hot.c:12" in text


def test_tooltip_shows_name_module_samples_value_and_shares(page: Any) -> None:
    page.point_at("hot").perform()
    page.until("return !document.getElementById('tooltip').hidden")
    text = page.element("tooltip").text
    for part in ("hot", "/bin/it", "500 ms", "50.0 %", "500", "src/hot.c:12", "40 samples"):
        assert part in text


def test_dark_and_light(page: Any) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    first, kernel = page.run(background), page.pixel("vfs_read")
    page.click("theme")
    assert page.run(background) != first
    assert page.pixel("vfs_read") != kernel
    page.click("theme")
    assert page.run(background) == first


def test_narrow_frames_are_combined_into_a_counted_remainder(
    opened: Open, profile_of: Callable[..., Profile]
) -> None:
    rows = [(("main", "hot"), 90_000)]
    rows += [(("main", f"cold_{n}", "needle" if n == 7 else "leaf"), 4) for n in range(2500)]
    page = opened(profile_of(rows))
    rest = page.frame("(rest)")
    assert rest["width"] / page.frame("all")["width"] == pytest.approx(0.1)
    assert rest["count"] == 2500
    plain = page.pixel("(rest)")
    assert page.search("needle").endswith("1 function")
    assert page.pixel("(rest)") != plain  # a remainder that contains a match is highlighted


def test_prints_the_whole_graph_in_light_colours(page: Any) -> None:
    if page.run("return stallscope.view.state.theme") == "light":
        page.click("theme")
    page.run("dispatchEvent(new Event('beforeprint'))")
    texts = page.run(
        "return [...document.querySelectorAll('#print-graph text')].map((t) => t.textContent)"
    )
    assert {"all", "main", "work", "hot", "vfs_read"} <= set(texts)
    assert page.run("return document.querySelector('#print-graph rect').getAttribute('fill')") == (
        "#ffffff"
    )
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        ink = page.run("return getComputedStyle(document.querySelector('h1')).color")
        assert max(map(int, re.findall(r"\d+", ink))) < 80
        assert not page.element("graph").is_displayed()
    finally:
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run("return document.getElementById('print-graph').childElementCount") == 0
    assert page.complaints() == []


def test_without_script_the_tables_are_shown(
    browser: Any, opened: Open, profile_of: Callable[..., Profile]
) -> None:
    page = opened(profile_of(ROWS, threads=THREADS))
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.refresh()
        assert page.element("static-functions").is_displayed()
        assert "vfs_read" in page.element("static-functions").text
        assert not page.element("graph").is_displayed()
        assert not page.element("search").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_recording_without_samples_says_so(
    opened: Open, profile_of: Callable[..., Profile]
) -> None:
    page = opened(profile_of([], threads=()))
    assert page.complaints() == []
    assert page.element("graph-empty").text == "The recording has no samples."


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("main", "main"),
        ("a::b<c::d(e)>::f(g::h<i>) const", "f"),
        ("std::vector<int>::operator[](unsigned long)", "operator[](unsigned long)"),
        ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "call_once"),
        ("<alloc::vec::Vec<T> as core::iter::Extend>::extend", "extend"),
        ("(anonymous namespace)::run(int)", "run"),
        ("libc.so.6+0x1f00", "libc.so.6+0x1f00"),
        ("int f<a->b>(x)", "int f"),
    ],
)
def test_frames_with_little_room_show_the_last_part_of_the_name(
    page: Any, name: str, short: str
) -> None:
    assert page.run("return stallscope.shortName(arguments[0])", name) == short


def test_saving_an_image_respects_the_policy(page: Any) -> None:
    page.click("save-svg")
    assert page.complaints() == []
    assert page.frame("work")["width"] / page.frame("all")["width"] == pytest.approx(0.7)


STACKS = long_tests(short=30_000, long=100_000)


@pytest.mark.long
def test_many_thousand_stacks_stay_small_and_drawable(opened: Open, checkout: Path) -> None:
    made = runpy.run_path(str(checkout / "benchmarks" / "flame_page.py"))["made_profile"]
    page = opened(made(STACKS))
    size_bytes = page.run("return performance.getEntriesByType('navigation')[0].decodedBodySize")
    assert size_bytes < 52 * STACKS
    assert page.run("return stallscope.view.profile.weights") == STACKS
    frames = "return stallscope.view.rows.reduce((sum, row) => sum + row.length, 0)"
    widest = page.run("return Math.max(...stallscope.view.rows.map((row) => row.length))")
    assert widest <= page.run("return stallscope.view.rows[0][0].width")
    assert page.run(frames) < 60 * widest
    assert page.run("return stallscope.view.profile.count") > STACKS / 5000 * page.run(frames)
    assert "matched" in page.search("merge")
    page.run("stallscope.view.update({shown: new Uint8Array(200).fill(1, 0, 2), query: ''})")
    page.settled()
    assert page.run("return stallscope.view.visibleTotal < stallscope.view.grandTotal / 2")
    assert page.complaints() == []
