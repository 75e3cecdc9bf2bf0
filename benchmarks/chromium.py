"""A headless Chromium without network, for the tests and the benchmark of pages."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PROGRAM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


@contextmanager
def started(window: str) -> Iterator[webdriver.Chrome]:
    """Yield a new browser with a window such as "1400,1000"; its console log is recorded."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(PROGRAM)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory() as profile:
        for option in (*OPTIONS, f"--window-size={window}", f"--user-data-dir={profile}"):
            options.add_argument(option)
        browser = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
        try:
            yield browser
        finally:
            browser.quit()
