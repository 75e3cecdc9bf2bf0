"""The picture of a storm."""

import xml.etree.ElementTree as ET

import msgspec

from harness.labs.storm.picture import storm_picture
from harness.labs.storm.result import StormResult


def test_the_picture_names_its_axes_and_lines(result: StormResult) -> None:
    texts = "".join(ET.fromstring(storm_picture(result, "svg")).itertext())
    for text in (
        "A reader beside a storm of writes",
        "reader's latency, ms",
        "writer's bandwidth, MiB/s",
        "p99, with shares",
        "p99, first come, first served",
        "128",
        "all",
    ):
        assert text in texts


def test_a_storm_without_rows_still_has_a_picture(result: StormResult) -> None:
    empty = msgspec.structs.replace(result, rows=(), first_come=())
    assert b"not measured" in storm_picture(empty, "svg")
    assert storm_picture(empty, "png").startswith(b"\x89PNG")
