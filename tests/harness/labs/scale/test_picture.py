"""The picture of the scale lab."""

import xml.etree.ElementTree as ET
from dataclasses import replace

from harness.labs.scale.picture import scale_picture
from harness.labs.scale.result import scale_result
from tests.harness.labs.scale.measurements import measurement


def test_the_picture_names_both_axes() -> None:
    svg = scale_picture(scale_result(measurement()), "svg")
    texts = "".join(ET.fromstring(svg).itertext())
    for text in ("Throughput of path kv, stages on", "connections", "threads", "linear"):
        assert text in texts


def test_an_axis_without_points_is_not_measured() -> None:
    lab = measurement()
    result = scale_result(replace(lab, runs=lab.runs[:2]))
    assert b"not measured" in scale_picture(result, "svg")
    assert scale_picture(result, "png").startswith(b"\x89PNG")
