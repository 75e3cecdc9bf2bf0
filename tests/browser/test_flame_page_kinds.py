"""Kinds of frames in a browser: colours and marks, the legend, truncated stacks, inlined functions."""

from collections.abc import Callable
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from topdown.stacks.profile import Function, FunctionKind, Profile, Thread

pytestmark = pytest.mark.browser

Open = Callable[[Profile], Any]

WORK = Function("work", "/bin/it", FunctionKind.USER)
READ = Function("vfs_read", "[kernel]", FunctionKind.KERNEL)
PUSH = Function("push", "/bin/it", FunctionKind.INLINED)
GROW = Function("grow", "/bin/it", FunctionKind.INLINED)
NAMELESS = Function("it+0x10", "/bin/it", FunctionKind.UNKNOWN)
SERVE = Function("serve", "/srv/app.py", FunctionKind.PYTHON)
CUT = Function("[truncated: beyond the copied stack]", "", FunctionKind.TRUNCATED)
LOST = Function("[truncated: damaged frame]", "", FunctionKind.TRUNCATED)
KINDS = (WORK, READ, PUSH, NAMELESS, SERVE, CUT)
ROWS = [
    (("main", SERVE, WORK, PUSH, "copy"), 100),
    (("main", SERVE, WORK, "copy"), 50, 1),
    (("main", SERVE, WORK, PUSH, GROW), 30),
    (("main", SERVE), 20),
    (("main", PUSH, GROW, WORK), 40),
    (("main", READ), 60),
    ((CUT, "main", WORK), 500),
    ((LOST, NAMELESS), 200),
]
THREADS = (Thread(1, 1, "it", "main"), Thread(1, 2, "it", "io"))


@pytest.fixture
def page(opened: Open, profile_of: Callable[..., Profile]) -> Any:
    return opened(profile_of(ROWS, threads=THREADS, truncated_share=0.7))


def legend(page: Any) -> dict[str, str]:
    """Return the text of the legend's buttons by kind."""
    return dict(
        page.run(
            "return [...document.querySelectorAll('#legend button')]"
            ".map((entry) => [entry.dataset.kind, entry.textContent])"
        )
    )


def names_in_row(page: Any, depth: int) -> list[str]:
    """Return the frames of a row from left to right."""
    names: list[str] = page.run(
        "return (stallscope.view.rows[arguments[0]] ?? [])"
        ".map((frame) => frame.folded ? '(rest)' : stallscope.view.nameAt(frame.node))",
        depth,
    )
    return names


def press(page: Any, kind: str) -> None:
    page.browser.find_element("css selector", f"#legend [data-kind={kind}]").click()
    page.settled()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_kind_has_a_distinct_colour(
    opened: Open, profile_of: Callable[..., Profile], theme: str
) -> None:
    page = opened(profile_of([((function,), 10) for function in KINDS]))
    page.run("stallscope.view.update({theme: arguments[0]})", theme)
    page.settled()
    colours = [page.pixel(function.name) for function in KINDS]
    for number, first in enumerate(colours):
        for second in colours[number + 1 :]:
            assert sum(abs(a - b) for a, b in zip(first, second, strict=True)) > 40


def test_marks_distinguish_kinds_without_colour(page: Any) -> None:
    """Each kind but user has distinct lines in the legend and in the saved image."""
    lines = page.run(
        "return [...document.querySelectorAll('#legend button')].map((entry) =>"
        " [...entry.querySelectorAll('line')].map((line) => ['x1', 'y1', 'x2', 'y2',"
        " 'stroke-width', 'stroke-dasharray'].map((name) => line.getAttribute(name)).join()).join())"
    )
    assert len(lines) == len(set(lines)) == 6
    assert lines[0] == ""
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run("return document.querySelectorAll('#print-graph line').length") >= 5
    page.run("dispatchEvent(new Event('afterprint'))")


def test_the_legend_names_the_kinds_that_occur_with_their_shares(
    page: Any, opened: Open, profile_of: Callable[..., Profile]
) -> None:
    assert legend(page) == {
        "user": "user 69.0 %",
        "inlined": "inlined 3.00 %",
        "python": "Python 2.00 %",
        "kernel": "kernel 6.00 %",
        "unknown": "no symbol 20.0 %",
        "truncated": "truncated stacks 70.0 %",
    }
    page.zoom("serve")
    assert legend(page)["python"] == "Python 10.0 %"
    assert legend(page)["truncated"] == "truncated stacks 0 %"
    page.run("stallscope.view.update({zoom: 0})")
    page.settled()
    page.zoom("it+0x10")
    assert legend(page)["truncated"] == "truncated stacks 100 %"
    plain = opened(profile_of([(("main",), 1)]))
    assert set(legend(plain)) == {"user"}
    assert not plain.element("inlined").is_enabled()
    assert "--inlined" in plain.element("inlined").get_attribute("title")


def test_a_click_on_the_legend_toggles_the_highlight_of_a_kind(page: Any) -> None:
    plain = page.pixel("vfs_read")
    press(page, "kernel")
    assert page.element("search-result").text.startswith("6.00 % matched")
    assert page.pixel("vfs_read") != plain
    chosen = page.browser.switch_to.active_element
    assert chosen.get_attribute("data-kind") == "kernel"
    assert chosen.get_attribute("aria-pressed") == "true"
    press(page, "truncated")
    assert page.element("search-result").text.startswith("70.0 % matched")
    press(page, "truncated")
    assert page.element("search-result").text == ""
    assert page.search("kind:py").startswith("20.0 % matched")
    assert page.search("kind:") == ""
    assert page.search("kind:nonsense").startswith("0 %")


def test_truncated_stacks_are_last_in_any_order(page: Any) -> None:
    expected = ["main", CUT.name, LOST.name]
    assert names_in_row(page, 1) == expected
    page.click("by-name")
    assert names_in_row(page, 1) == expected
    page.click("by-weight")
    page.run("stallscope.view.update({shown: Uint8Array.of(1, 0)})")
    page.settled()
    assert names_in_row(page, 1) == expected
    page.run("stallscope.view.update({shown: null})")
    page.settled()
    assert CUT.name not in page.column(3)  # not a function
    page.zoom(CUT.name)
    assert "truncated stacks" in page.element("detail").text
    assert page.search("damaged").startswith("0 %")


def test_truncated_stacks_come_after_the_remainder(
    opened: Open, profile_of: Callable[..., Profile]
) -> None:
    rows = [(("main",), 40_000), ((CUT, "main"), 50_000), ((LOST, "f"), 20_000)]
    rows += [((f"narrow_{number}",), 4) for number in range(2500)]
    page = opened(profile_of(rows))
    assert names_in_row(page, 1) == ["main", "(rest)", CUT.name, LOST.name]
    rest = page.frame("(rest)")
    assert rest["width"] / page.frame("all")["width"] == pytest.approx(1 / 12)
    assert rest["count"] == 2500


def test_inlined_functions_can_be_hidden_and_shown(page: Any) -> None:
    rows = [page.column(n) for n in (3, 0, 1)]
    shown = dict(zip(rows[0], zip(rows[1], rows[2], strict=True), strict=True))
    assert shown["work"] == ("54.0 %", "72.0 %")
    assert shown["push"] == ("0 %", "17.0 %")
    page.click("inlined")
    assert page.element("inlined").get_attribute("aria-pressed") == "false"
    assert page.frame("push") is None
    rows = [page.column(n) for n in (3, 0, 1)]
    hidden = dict(zip(rows[0], zip(rows[1], rows[2], strict=True), strict=True))
    assert hidden["work"] == ("57.0 %", "72.0 %")  # with inlined functions
    assert hidden["copy"] == ("15.0 %", "15.0 %")
    assert {"push", "grow"}.isdisjoint(hidden)
    assert "inlined" not in legend(page)
    assert legend(page)["user"] == "user 72.0 %"
    assert names_in_row(page, 4) == ["copy"]  # both callees of work are merged
    assert page.frame("copy")["width"] / page.frame("all")["width"] == pytest.approx(0.15)
    assert page.search("push").startswith("0 %")
    assert page.search("work").startswith("72.0 %")
    page.element("search").send_keys(Keys.ESCAPE)
    page.keys("n")
    assert page.frame("push")["width"] > 0
    assert page.column(3) == list(shown)
    assert page.complaints() == []


def test_hiding_inlined_functions_keeps_zoom_filter_and_sums(page: Any) -> None:
    page.zoom("grow")
    chosen = page.run("return stallscope.view.state.selected")
    assert chosen >= 0
    page.click("inlined")
    assert page.run("return stallscope.view.nameAt(stallscope.view.state.zoom)") in ("work", "main")
    assert page.run("return stallscope.view.state.selected") == -1
    page.keys(Keys.ESCAPE)
    page.run("stallscope.view.update({shown: Uint8Array.of(0, 1)})")
    page.settled()
    assert page.frame("copy")["width"] == page.frame("all")["width"]
    page.run("stallscope.view.update({shown: null, zoom: 0})")
    page.settled()
    totals = "const {totals} = stallscope.view; return [totals.total[0], totals.totalSamples[0]]"
    assert page.run(totals) == [1000e6, 1000]
    page.zoom("work")
    page.click("inlined")
    assert page.run("return stallscope.view.nameAt(stallscope.view.state.zoom)") == "work"


def test_the_tree_without_inlined_functions_is_a_tree(page: Any) -> None:
    """Callers come before callees, subtrees are contiguous, and callees of a caller are unique."""
    page.click("inlined")
    wrong = page.run(
        "const {profile: t, totals} = stallscope.view, wrong = [], seen = new Set();"
        "for (let i = 1; i < t.count; i++) {"
        "  const p = t.parent[i], key = p + ' ' + t.functionOf[i];"
        "  if (p >= i || t.depth[i] !== t.depth[p] + 1 || t.end[i] > t.end[p]) wrong.push(i);"
        "  if (seen.has(key)) wrong.push(key);"
        "  seen.add(key);"
        "} return wrong;"
    )
    assert wrong == []


def test_the_legend_has_every_runtime(opened: Open, profile_of: Callable[..., Profile]) -> None:
    kinds = (FunctionKind.JAVASCRIPT, FunctionKind.JAVA, FunctionKind.RUBY, FunctionKind.PHP)
    functions = [Function(kind.name.lower(), "/srv/app", kind) for kind in kinds]
    page = opened(profile_of([((function,), 10) for function in functions]))
    assert [legend(page)[kind.name.lower()] for kind in kinds] == [
        f"{name} 25.0 %" for name in ("JavaScript", "Java", "Ruby", "PHP")
    ]
