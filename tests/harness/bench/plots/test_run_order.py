"""The picture of values in the order of the runs."""

import math
import xml.etree.ElementTree as ET

from harness.bench.plots.run_order import run_order_picture
from harness.bench.plots.samples import PlotSample


def test_samples_are_drawn_at_their_places() -> None:
    samples = [
        PlotSample("base", [1.0 + 0.01 * n for n in range(20)], range(1, 41, 2)),
        PlotSample("head", [2.0, math.nan], [2, 4]),
    ]
    picture = run_order_picture(samples, "s", "svg", title="drift", warmup=3)
    texts = "".join(ET.fromstring(picture).itertext())
    for text in ("base", "head", "run, in order", "drift"):
        assert text in texts
    assert picture == run_order_picture(samples, "s", "svg", title="drift", warmup=3)


def test_no_value_is_not_measured() -> None:
    assert b"not measured" in run_order_picture([PlotSample("a", [])], "s", "svg")
