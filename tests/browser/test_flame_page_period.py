"""Selection of a period on the flame page: graph and tables follow."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from tests.topdown.stacks.test_bursts import profile_with

pytestmark = pytest.mark.browser


@pytest.fixture
def page(opened: Callable[..., Any]) -> Any:
    profile, times = profile_with((3, 4), share=1.0, seconds=12)
    times = replace(times, value=times.value * 1_000_000)
    return opened(replace(profile, times=times))


def set_period(page: Any, begin: str, end: str) -> None:
    for field, text in (("period-from", begin), ("period-to", end)):
        page.run(
            "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('change'))",
            field,
            text,
        )
    page.settled()


def test_a_period_limits_graph_and_functions(page: Any) -> None:
    assert page.frame("compact")["width"] < 200
    set_period(page, "3", "4")
    assert page.frame("serve") is None
    shown = [
        name for name, self in zip(page.column(3), page.column(0), strict=True) if self != "0 %"
    ]
    assert [name.strip() for name in shown] == ["memcpy"]
    page.click("period-all")
    assert page.frame("serve")["width"] > 200
    assert page.element("period-to").get_attribute("value") == "12"
    assert page.complaints() == []


def test_a_period_limits_the_table_of_threads(page: Any) -> None:
    rows = (
        "return [...document.querySelectorAll('[aria-labelledby=\"threads-title\"] tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    whole = page.run(rows)
    set_period(page, "3", "4")
    part = page.run(rows)
    assert sum(int(row[2].replace(",", "")) for row in part) < sum(
        int(row[2].replace(",", "")) for row in whole
    )
    page.click("period-all")
    assert page.run(rows) == whole
    assert page.complaints() == []


def test_dragging_over_the_map_selects_a_period(page: Any) -> None:
    chart = page.browser.find_element(By.CSS_SELECTOR, "#over-time svg")
    page.run("arguments[0].scrollIntoView({block: 'center'})", chart)
    begin, width = page.run(
        "const svg = arguments[0], box = svg.getBoundingClientRect();"
        "const scale = box.width / svg.viewBox.baseVal.width;"
        "return [svg.dataset.left * scale, svg.dataset.width * scale]",
        chart,
    )
    half = chart.size["width"] / 2
    offsets = [round(begin + width * second / 12 - half) for second in (3.2, 3.8)]
    actions = ActionChains(page.browser).move_to_element_with_offset(chart, offsets[0], 0)
    actions.click_and_hold().move_to_element_with_offset(chart, offsets[1], 0).release().perform()
    page.settled()
    assert page.frame("serve") is None
    assert 3.0 <= float(page.element("period-from").get_attribute("value")) <= 3.3
