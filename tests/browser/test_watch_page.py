"""The page of watched disks in a browser, light and dark, narrow and wide."""

import json
from pathlib import Path

import pytest
from selenium import webdriver

from harness.io.recording import IoRun, write_document, write_manifest
from harness.io.report import write_io_page
from harness.io.watch_document import document
from tests.harness.io.watches import ASKED, made_watch

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 420)])
def test_the_page_fits_and_complains_of_nothing(
    browser: webdriver.Chrome, tmp_path: Path, scheme: str, width: int
) -> None:
    run = IoRun(tmp_path, "watch", "sda", 1)
    write_manifest(run, end="duration")
    write_document(run, json.loads(json.dumps(document(made_watch(tmp_path), ASKED, []))))
    page = write_io_page(tmp_path)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get_log("browser")
        browser.get(page.as_uri())
        assert browser.get_log("browser") == []
        titles = [each.text for each in browser.find_elements("css selector", ".panel h2")]
        assert titles[:2] == ["Block requests", "Latency"]
        assert len(browser.find_elements("css selector", ".watch-heat rect.watch-cell")) > 10
        wide = "return document.documentElement.scrollWidth <= window.innerWidth"
        assert browser.execute_script(wide)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
