"""The page of counted slots in a browser: light and dark."""

from pathlib import Path

import pytest
from selenium import webdriver

from harness.topdown.page import render_slots_page
from harness.topdown.result import topdown_result
from tests.harness.topdown.measurements import SLICED

pytestmark = pytest.mark.browser

LUMINANCE = """
const paint = (property) => getComputedStyle(document.querySelector(arguments[0]))[property];
const light = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
return light(paint(arguments[1]));
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_legible_without_console_messages(
    browser: webdriver.Chrome, tmp_path: Path, scheme: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(
        render_slots_page(
            topdown_result(SLICED), title="work", recording_name="run", host={"CPU": "x"}
        ),
        encoding="utf-8",
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        browser.get_log("browser")
        browser.get(path.as_uri())
        assert browser.get_log("browser") == []
        sheet = browser.execute_script(LUMINANCE, ".panel", "backgroundColor")
        assert (sheet > 0.5) == (scheme == "light")
        for place in (".slots-tree .name", ".slots-tree tr.marked .name", ".slots-facts dt"):
            text = browser.execute_script(LUMINANCE, place, "color")
            assert (max(sheet, text) + 0.05) / (min(sheet, text) + 0.05) >= 4.5, place
        for key in ("retiring", "bad", "frontend", "backend"):
            bar = browser.execute_script(LUMINANCE, f".slots-all .slot-{key}", "fill")
            assert (max(sheet, bar) + 0.05) / (min(sheet, bar) + 0.05) >= 2.0, key
        assert browser.find_element("id", "slots-title").text == "CPU slots"
        wide = "return document.documentElement.scrollWidth <= window.innerWidth"
        assert browser.execute_script(wide)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
