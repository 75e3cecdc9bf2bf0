"""The picture of `bench scale`."""

import xml.etree.ElementTree as ET

from harness.bench.scale.picture import scale_picture
from tests.harness.bench.scale.results import usl_result


def test_laws_and_bounds_are_drawn() -> None:
    picture = scale_picture(*usl_result(cpus=4), "svg")
    texts = "".join(ET.fromstring(picture).itertext())
    for text in ("universal scalability law", "Amdahl's law", "linear", "saturated CPUs", "req/s"):
        assert text in texts


def test_points_without_a_law_are_drawn_alone() -> None:
    assert b"universal" not in scale_picture(*usl_result((1, 2)), "svg")
