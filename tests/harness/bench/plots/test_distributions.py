"""The picture of distributions."""

import math
import xml.etree.ElementTree as ET

from harness.bench.plots.distributions import distribution_picture
from harness.bench.plots.samples import PlotSample

SAMPLES = [PlotSample("base <1>", [1.0, 1.2, math.nan, 1.1]), PlotSample("head", [1.3, 1.4])]


def test_each_sample_is_named_with_the_number_of_its_values() -> None:
    picture = distribution_picture(SAMPLES, "wall time, s", "svg", title="sha1")
    texts = "".join(ET.fromstring(picture).itertext())
    for text in ("base <1> (n = 3)", "head (n = 2)", "wall time, s", "sha1"):
        assert text in texts
    assert picture == distribution_picture(SAMPLES, "wall time, s", "svg", title="sha1")


def test_samples_without_values_are_not_measured() -> None:
    assert b"not measured" in distribution_picture([PlotSample("a", [math.nan])], "s", "svg")
    assert distribution_picture([], "s", "png").startswith(b"\x89PNG")
