"""The page of all disk measurements in a browser: light and dark, wide and narrow."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver

from harness.cli.command_line import main
from harness.io.watch.result import watch_result
from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.options import StormOptions
from harness.labs.storm.result import storm_result
from stallscope.documents import encode
from tests.browser.test_slots_page import LUMINANCE
from tests.harness.io.curve.results import result as curve
from tests.harness.io.mix.results import result as mix
from tests.harness.io.queue.results import interval, submission_stalls
from tests.harness.io.queue.results import result as queue
from tests.harness.io.watch.watches import SCOPE, watch_of_events
from tests.ioprobe.machine_trees import disk_machine

pytestmark = pytest.mark.browser

TITLES = [
    "Latency, one request at a time",
    "Response curve",
    "Reads and writes together",
    "From the path to its disk",
    "Block requests",
    "Latency",
    "A reader beside a storm of writes",
]
TEXTS = (
    "#probe .hint",
    "#probe td.name",
    ".curve-finding",
    ".curve-depth dd",
    "#mix figcaption",
    "#mix .hint",
    "#queue .queue-words td",
    "#queue .queue-stalls td",
    "#watch td",
    "#storm .curve-finding",
    "#storm td",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a recording with a result of each verb."""
    work = tmp_path_factory.mktemp("disk")
    folder = work / "run"
    words = ["sim:servers=8,service=1ms,exponential", "--count", "3000", "-o", str(folder)]
    assert main(["io", "probe", *words]) == 0
    storm = StormOptions("sim:servers=8,service=1ms", rounds=1, recommended=9)
    roots = disk_machine("sata-rotational", work / "machine")
    results = {
        "mix": mix(),
        "queue": queue(roots, "/x", interval(submission_stalls())),
        "watch": watch_result(watch_of_events(work), SCOPE, []),
        "curve": curve(slo_p99_ns=8e6),
        "storm": storm_result(measure_disk_storm(storm)),
    }
    for verb, result in results.items():
        (folder / f"{verb}.json").write_text(encode(result))
    assert main(["report", str(folder)]) == 0
    shutil.rmtree(work / "machine")
    return folder / "report.html"


@contextmanager
def shown(browser: webdriver.Chrome, page: Path, scheme: str, width: int) -> Iterator[None]:
    """Show a page to somebody who likes a scheme, in a window of a width."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get_log("browser")
        browser.get(page.as_uri())
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 420)])
def test_all_panels_are_drawn_fit_and_can_be_read(
    browser: webdriver.Chrome, page: Path, scheme: str, width: int
) -> None:
    with shown(browser, page, scheme, width):
        assert browser.get_log("browser") == []
        titles = [heading.text for heading in browser.find_elements("css selector", ".panel h2")]
        assert titles[: len(TITLES)] == TITLES
        sheet = browser.execute_script(LUMINANCE, "#curve", "backgroundColor")
        assert (sheet > 0.5) == (scheme == "light")
        paints = dict.fromkeys(TEXTS, "color") | {"#probe .plot-tick": "fill"}
        for place, paint in paints.items():
            text = browser.execute_script(LUMINANCE, place, paint)
            assert (max(sheet, text) + 0.05) / (min(sheet, text) + 0.05) >= 4.5, place
        assert browser.execute_script(
            "return document.documentElement.scrollWidth <= window.innerWidth"
        )


def test_each_panel_has_what_its_verb_found(browser: webdriver.Chrome, page: Path) -> None:
    with shown(browser, page, "light", 1200):
        assert len(browser.find_elements("css selector", "#probe svg.plot")) == 3
        assert len(browser.find_elements("css selector", "#probe rect.plot-bar")) > 10
        cells = browser.find_elements("css selector", "#probe tbody td")
        assert [cell.text for cell in cells[:2]] == ["direct", "3,000"]
        # The three depths are lines of their own looks, in both plots.
        looks = browser.execute_script(
            "return [...document.querySelectorAll('#curve .curve-mark')].map("
            "(line) => getComputedStyle(line).stroke + getComputedStyle(line).strokeDasharray)"
        )
        assert len(looks) == 6
        assert len(set(looks)) == 3
        assert browser.execute_script(
            "return [...document.querySelectorAll('#mix .heat g')].every((cell) => {"
            "const [box, text] = [cell.querySelector('rect'), cell.querySelector('text')];"
            "return text.getBBox().width <= box.getBBox().width})"
        )
        assert len(browser.find_elements("css selector", ".watch-heat rect.watch-cell")) > 10


def test_the_words_of_a_queue_are_whole_on_a_narrow_screen(
    browser: webdriver.Chrome, page: Path
) -> None:
    with shown(browser, page, "light", 420):
        tables = browser.find_elements("css selector", "#queue .queue-words .scroll")
        assert len(tables) >= 2
        for table in tables:
            assert browser.execute_script(
                "return arguments[0].scrollWidth <= arguments[0].clientWidth", table
            )
