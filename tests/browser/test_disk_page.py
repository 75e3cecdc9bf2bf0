"""The page of all disk measurements in a browser: light and dark, wide and narrow."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver

from harness.cli.command_line import main
from harness.io.mix.document import MixMeasurement, mix_document
from harness.io.queue.document import document as queue_document
from harness.io.queue.stalls import Watched
from harness.io.watch.document import document as watch_document
from harness.labs.storm.disk import measure_disk_storm
from harness.labs.storm.options import StormOptions
from harness.labs.storm.result import storm_result
from harness.report.disk import write_recorded_page
from ioprobe.block_queue.activity import ActivityInterval
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.mix.measurement import measure_mix
from ioprobe.mix.plan import MixPlan
from stallscope.documents import encode
from tests.browser.test_slots_page import LUMINANCE
from tests.harness.io.curve.results import result as curve
from tests.harness.io.queue.test_session import stalls
from tests.harness.io.watch.watches import ASKED, made_watch
from tests.ioprobe.machine_trees import disk_machine
from tests.ioprobe.mix_model import MixModel

pytestmark = pytest.mark.browser

TITLES = [
    "Latency, one request at a time",
    "Response curve",
    "Reads and writes together",
    "Between the path and its disk",
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
    """The page of a recording with the result of each verb."""
    work = tmp_path_factory.mktemp("disk")
    folder = work / "run"
    words = ["sim:servers=8,service=1ms,exponential", "--count", "3000", "-o", str(folder)]
    assert main(["io", "probe", *words]) == 0
    mix = measure_mix(MixPlan(), MixModel().measure, lambda progress: None)  # noqa: ARG005
    storm = StormOptions("sim:servers=8,service=1ms", rounds=1, recommended=9)
    queue = read_block_queue(Path("/x"), disk_machine("sata-rotational", work / "machine"))
    documents = {
        "mix": mix_document(MixMeasurement("/srv/<db>", True, mix, {}, [], 1.0)),
        "queue": queue_document(queue, Watched(ActivityInterval(2.0, {}), stalls(), None)),
        "watch": watch_document(made_watch(work), ASKED, []),
    }
    for verb, made in documents.items():
        (folder / f"{verb}.json").write_text(json.dumps(made))
    (folder / "curve.json").write_text(encode(curve(slo_p99_ns=8e6)))
    (folder / "storm.json").write_text(encode(storm_result(measure_disk_storm(storm))))
    made_page = write_recorded_page(folder)
    shutil.rmtree(work / "machine")
    return made_page


@contextmanager
def shown(browser: webdriver.Chrome, page: Path, scheme: str, width: int) -> Iterator[None]:
    """Open a page with a colour scheme in a window of a width."""
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
def test_all_panels_are_drawn_fit_and_are_legible(
    browser: webdriver.Chrome, page: Path, scheme: str, width: int
) -> None:
    with shown(browser, page, scheme, width):
        assert browser.get_log("browser") == []
        titles = [each.text for each in browser.find_elements("css selector", ".panel h2")]
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


def test_each_panel_shows_the_results_of_its_verb(browser: webdriver.Chrome, page: Path) -> None:
    with shown(browser, page, "light", 1200):
        assert len(browser.find_elements("css selector", "#probe svg.plot")) == 3
        assert len(browser.find_elements("css selector", "#probe rect.plot-bar")) > 10
        cells = browser.find_elements("css selector", "#probe tbody td")
        assert [cell.text for cell in cells[:2]] == ["direct", "3,000"]
        # The three depths have distinct lines in both plots.
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


def test_the_texts_of_a_queue_are_complete_on_a_narrow_screen(
    browser: webdriver.Chrome, page: Path
) -> None:
    with shown(browser, page, "light", 420):
        tables = browser.find_elements("css selector", "#queue .queue-words .scroll")
        assert len(tables) >= 2
        for each in tables:
            assert browser.execute_script(
                "return arguments[0].scrollWidth <= arguments[0].clientWidth", each
            )
