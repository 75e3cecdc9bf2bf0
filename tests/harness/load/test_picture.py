"""The picture of a load."""

import json
import xml.etree.ElementTree as ET

from harness.load.picture import load_picture
from harness.load.recording import LOGS, LoadRecording
from harness.workload.results import LoadResult
from stallscope.documents import decode
from stallscope.histograms import IntervalLog
from tests.harness.workload.fake_programs import LOADED
from tests.harness.workload.histograms import log_of


def recording(log: IntervalLog) -> LoadRecording:
    result = decode(json.dumps(LOADED), LoadResult, "test")
    return LoadRecording(result, dict.fromkeys(LOGS, log), None)


def test_the_picture_names_axes_and_series() -> None:
    svg = load_picture(recording(log_of(100, 2_000)), "svg")
    texts = "".join(ET.fromstring(svg).itertext())
    for text in (
        "closed loop against 127.0.0.1:7379",
        "% of requests",
        "latency, from the intended start",
        "percentile",
        "99.99",
    ):
        assert text in texts


def test_a_load_without_values_has_a_picture() -> None:
    empty = recording(IntervalLog(()))
    assert b"not measured" in load_picture(empty, "svg")
    assert load_picture(empty, "png").startswith(b"\x89PNG")
