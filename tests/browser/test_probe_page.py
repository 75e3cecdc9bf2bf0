"""The page of a disk's probe in a browser, light and dark."""

from pathlib import Path

import pytest
from selenium import webdriver

from harness.command_line import main
from harness.io.report import write_io_page
from tests.browser.test_slots_page import LUMINANCE

pytestmark = pytest.mark.browser

WIDE = "return document.documentElement.scrollWidth <= window.innerWidth"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a disk in virtual time."""
    folder = tmp_path_factory.mktemp("probe") / "run"
    words = ["sim:servers=8,service=1ms,exponential", "--count", "3000", "-o", str(folder)]
    assert main(["io", "probe", *words]) == 0
    return write_io_page(folder)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_reads_well_and_complains_of_nothing(
    browser: webdriver.Chrome, page: Path, scheme: str
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        browser.get_log("browser")
        browser.get(page.as_uri())
        assert browser.get_log("browser") == []
        sheet = browser.execute_script(LUMINANCE, ".panel", "backgroundColor")
        assert (sheet > 0.5) == (scheme == "light")
        for place in ("#probe .hint", "#probe td.name", "#probe .plot-tick"):
            paint = "fill" if place.endswith("tick") else "color"
            text = browser.execute_script(LUMINANCE, place, paint)
            assert (max(sheet, text) + 0.05) / (min(sheet, text) + 0.05) >= 4.5, place
        assert len(browser.find_elements("css selector", "#probe svg.plot")) == 3
        assert len(browser.find_elements("css selector", "#probe rect.plot-bar")) > 10
        cells = browser.find_elements("css selector", "#probe tbody td")
        assert [cell.text for cell in cells[:2]] == ["direct", "3,000"]
        assert browser.execute_script(WIDE)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
