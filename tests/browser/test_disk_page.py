"""The panels of a response curve, a read/write matrix and a storm in a browser, light and dark."""

import json
from pathlib import Path

import pytest
from selenium import webdriver

from harness.io import curve_report, mix_report
from harness.io.curve_document import curve_document
from harness.io.mix_document import MixMeasurement, mix_document
from harness.labs import storm_report
from harness.labs.storm_document import storm_document
from harness.labs.storm_plan import StormOptions
from harness.labs.storm_session import measured_storm
from harness.pages.io_page import render_io_page
from ioprobe.mix_plan import MixPlan
from ioprobe.mix_rounds import measure_mix
from stallscope.json_fields import Fields
from tests.browser.test_slots_page import LUMINANCE
from tests.harness.io.curve_measurements import measurement
from tests.ioprobe.mix_model import MixModel

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    mix = measure_mix(MixPlan(), MixModel().measure, lambda progress: None)  # noqa: ARG005
    storm = StormOptions("sim:servers=8,service=1ms", rounds=1, recommended=9)
    documents = (
        (curve_report, curve_document(measurement(slo_p99_ns=8e6))),
        (mix_report, mix_document(MixMeasurement("/srv/<db>", True, mix, {}, [], 1.0))),
        (storm_report, storm_document(measured_storm(storm))),
    )
    panels = [
        panel
        for report, made in documents
        for panel in report.reported(
            Path(), Fields(json.loads(json.dumps(made)), "made"), 100
        ).panels
    ]
    path = tmp_path_factory.mktemp("disk") / "report.html"
    text = render_io_page(panels, title="/srv", recording_name="r", source="modelled", facts={})
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_panels_are_drawn_and_can_be_read(
    browser: webdriver.Chrome, page: Path, scheme: str
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        browser.get_log("browser")
        browser.get(page.as_uri())
        assert browser.get_log("browser") == []
        sheet = browser.execute_script(LUMINANCE, "#curve", "backgroundColor")
        assert (sheet > 0.5) == (scheme == "light")
        for place in (
            ".curve-finding",
            ".curve-depth dd",
            "#mix figcaption",
            "#mix .hint",
            "#storm .curve-finding",
            "#storm td",
        ):
            text = browser.execute_script(LUMINANCE, place, "color")
            assert (max(sheet, text) + 0.05) / (min(sheet, text) + 0.05) > 4.5, place
        # The three depths are lines of their own looks, in both plots.
        looks = browser.execute_script(
            "return [...document.querySelectorAll('#curve .curve-mark')].map("
            "(line) => getComputedStyle(line).stroke + getComputedStyle(line).strokeDasharray)"
        )
        assert len(looks) == 6
        assert len(set(looks)) == 3
        fits = browser.execute_script(
            "return [...document.querySelectorAll('#mix .heat g')].every((cell) => {"
            "const [box, text] = [cell.querySelector('rect'), cell.querySelector('text')];"
            "return text.getBBox().width <= box.getBBox().width})"
        )
        assert fits
        assert browser.execute_script(
            "return document.documentElement.scrollWidth <= window.innerWidth"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
