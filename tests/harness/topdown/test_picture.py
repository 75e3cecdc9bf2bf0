"""Pictures of slots over time."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from harness.topdown.picture import picture
from harness.topdown.result import topdown_result
from stallscope.errors import UsageError
from tests.harness.topdown.interval_results import RESULT
from tests.harness.topdown.measurements import COUNTED, SLICED


def test_the_picture_has_a_title() -> None:
    result = topdown_result(replace(SLICED, source="<b>$\\frac{1}{0}$ & \x1b[31mred"))
    svg = picture(result, "svg")
    texts = " ".join(ET.fromstring(svg).itertext())
    assert "<b>$\\frac{1}{0}$ & \\x1b[31mred (measured, unverified on this CPU)" in texts
    assert "Backend_Bound" in texts
    assert picture(result, "svg") == svg
    assert picture(RESULT, "png").startswith(b"\x89PNG")


def test_a_picture_without_intervals_is_refused() -> None:
    with pytest.raises(UsageError, match="no intervals"):
        picture(topdown_result(COUNTED), "svg")
