"""The picture of percentile curves."""

import xml.etree.ElementTree as ET

import numpy as np

from harness.bench.plots.percentiles import percentile_picture
from stallscope.histograms import Geometry, Histogram


def test_every_histogram_has_a_curve_with_its_count() -> None:
    counts = np.zeros(2000, dtype=np.int64)
    counts[[100, 1500]] = (900, 100)
    histogram = Histogram(Geometry(1, 3), counts)
    picture = percentile_picture({"kv": histogram, "disk": None}, "svg", title="latency")
    texts = "".join(ET.fromstring(picture).itertext())
    assert "kv (n = 1,000)" in texts
    assert "99.999" in texts
    assert "disk" not in texts


def test_no_histogram_is_not_measured() -> None:
    assert b"not measured" in percentile_picture({"kv": None}, "svg")
