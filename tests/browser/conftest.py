"""A headless Chromium with no network, and pages opened in it from files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks import chromium
from harness.profile.page import PageContent, render_page
from topdown.stacks.profile import Profile

DEADLINE_S = 60

FRAME = """
const {view} = stallscope, name = arguments[0];
for (const [depth, row] of view.rows.entries()) {
  for (const frame of row) {
    const called = frame.folded ? '(rest)' : view.nameAt(frame.node);
    if (called !== name) continue;
    const box = document.getElementById('graph-space').getBoundingClientRect();
    const at = view.state.icicle ? depth : view.rows.length - 1 - depth;
    return {x: box.left + frame.x + frame.width / 2, y: box.top + at * 20 + 10,
            width: frame.width, depth, count: frame.count ?? 0};
  }
}
return null;
"""


class Page:
    """A page in the browser, used like a person would."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        self.browser = browser

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def until(self, script: str, *arguments: Any) -> Any:
        """Return the result of a script once it is true."""
        wait = WebDriverWait(self.browser, DEADLINE_S, poll_frequency=0.02)
        return wait.until(lambda _: self.run(script, *arguments), message=script)

    def settled(self) -> None:
        """Wait until all changes are drawn."""
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
        )

    def element(self, element_id: str) -> WebElement:
        return self.browser.find_element(By.ID, element_id)

    def click(self, element_id: str) -> None:
        self.element(element_id).click()
        self.settled()

    def keys(self, *keys: str) -> None:
        self.browser.switch_to.active_element.send_keys(*keys)
        self.settled()

    def search(self, text: str) -> str:
        box = self.element("search")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.BACKSPACE, text)
        self.settled()
        return self.element("search-result").text

    def frame(self, name: str) -> dict[str, Any] | None:
        frame: dict[str, Any] | None = self.run(FRAME, name)
        return frame

    def point_at(self, name: str) -> Any:
        self.run("document.getElementById('graph').scrollIntoView({block: 'center'})")
        self.settled()
        at = self.frame(name)
        assert at, name
        actions = ActionBuilder(self.browser)
        actions.pointer_action.move_to_location(int(at["x"]), int(at["y"]))
        return actions

    def zoom(self, name: str) -> None:
        actions = self.point_at(name)
        actions.pointer_action.click()
        actions.perform()
        self.settled()

    def column(self, number: int) -> list[str]:
        cells: list[str] = self.run(
            "return [...document.querySelectorAll('#functions tbody tr')]"
            ".map((row) => row.cells[arguments[0]].textContent)",
            number,
        )
        return cells

    def pixel(self, name: str) -> list[int]:
        """Return red, green and blue of a pixel in the left part of a frame."""
        colour: list[int] = self.run(
            "const at = arguments[0], canvas = document.getElementById('canvas');"
            "const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width;"
            "return [...canvas.getContext('2d').getImageData((at.x - at.width / 2 + 1.5 - box.left)"
            " * ratio, (at.y - 6 - box.top) * ratio, 1, 1).data].slice(0, 3)",
            self.frame(name),
        )
        return colour

    def complaints(self) -> list[str]:
        """Return the console messages: errors and violations of the page's policy."""
        return [entry["message"] for entry in self.browser.get_log("browser")]


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    if not (chromium.PROGRAM.exists() and chromium.DRIVER.exists()):
        pytest.skip("needs Chromium: /usr/bin/chromium and /usr/bin/chromedriver")
    with chromium.started("1400,1000") as driver:
        yield driver


@pytest.fixture
def opened(browser: webdriver.Chrome, tmp_path: Path) -> Callable[..., Page]:
    """A function that writes the page of a profile, opens the file and waits for its graph."""

    def open_page(profile: Profile, content: PageContent | None = None) -> Page:
        path = tmp_path / "report.html"
        content = content or PageContent()
        text = render_page(profile, recording_name="run", host={"Kernel": "6"}, content=content)
        path.write_text(text, encoding="utf-8")
        browser.get_log("browser")
        browser.get(path.as_uri())
        page = Page(browser)
        page.until("return document.documentElement.dataset.ready")
        return page

    return open_page
