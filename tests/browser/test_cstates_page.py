"""Pages of sleep states in a browser: light and dark, narrow and wide."""

from pathlib import Path

import pytest
from selenium import webdriver

from harness.cli.command_line import main
from tests.cstates.machine_trees import expand

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 420)])
def test_pages_fit_without_console_messages(
    browser: webdriver.Chrome, tmp_path: Path, scheme: str, width: int
) -> None:
    tree = expand("skylake-client", tmp_path / "tree")
    states, simulated = tmp_path / "states.html", tmp_path / "simulated.html"
    roots = ["--sysfs-root", str(tree / "sys"), "--proc-root", str(tree / "proc")]
    made = ["--table", "deco", "--workload", "poisson:1ms", "--intervals", "500"]
    assert main(["cstates", "show", *roots, "-o", str(states)]) == 0
    assert main(["cstates", "simulate", *made, "-o", str(simulated)]) == 0
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for page, title in ((states, "Sleep states"), (simulated, "What governors would choose")):
            browser.get_log("browser")
            browser.get(page.as_uri())
            assert browser.get_log("browser") == []
            assert browser.find_element("css selector", ".panel h2").text == title
            wide = "return document.documentElement.scrollWidth <= window.innerWidth"
            assert browser.execute_script(wide)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
