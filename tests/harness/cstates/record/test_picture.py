"""Pictures of interval lengths."""

import pytest

from harness.cstates.record.picture import lengths_picture
from stallscope.errors import UnableError
from tests.harness.cstates.record.results import HOSTILE, recording_of


def test_the_picture_has_a_histogram_per_traced_state() -> None:
    picture = lengths_picture(recording_of(7, HOSTILE), "svg").decode()
    assert "C6" in picture
    assert "length of the interval" in picture
    assert "<script" not in picture


def test_a_picture_without_intervals_is_rejected() -> None:
    with pytest.raises(UnableError, match="no idle interval was traced"):
        lengths_picture(recording_of(0), "svg")
