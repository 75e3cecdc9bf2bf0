"""The picture of the memory lab."""

import xml.etree.ElementTree as ET

from harness.labs.memory.measurement import MemoryMeasurement
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.picture import memory_picture
from harness.labs.memory.plan import LabSection
from harness.labs.memory.result import memory_result
from tests.harness.labs.memory.measurements import KIB, measurement, without

CPU = "Model $x_1$ <b>\x1b[2J"


def picture(lab: MemoryMeasurement, file_format: str) -> bytes:
    return memory_picture(memory_result(lab, CPU), file_format)


def test_the_picture_names_what_it_shows() -> None:
    svg = picture(measurement(MemoryOptions(quick=True)), "svg")
    texts = "".join(ET.fromstring(svg).itertext())
    for text in (
        "Model $x_1$ <b>",
        "sysfs L3: 32 MiB",
        "L2 3.8 ns",
        "ns per step",
        "4 threads",
        "4 KiB+64",
    ):
        assert text in texts


def test_few_points_have_a_picture_and_equal_results_equal_bytes() -> None:
    empty = without(measurement(), *LabSection)
    first = picture(empty, "svg")
    assert b"not measured" in first
    assert picture(empty, "svg") == first
    single = measurement(MemoryOptions(max_bytes=4 * KIB, strides=(64,), threads=(1,)))
    assert picture(single, "png").startswith(b"\x89PNG")
