"""Encoded histograms, decoded by stallscope and by the hdrhistogram package."""

from pathlib import Path

import numpy as np
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from stallscope.histogram_encoding import TaggedHistogram, encode, interval_log
from stallscope.histograms import Geometry, Histogram, decode, read_interval_log

GEOMETRY = Geometry(lowest=1, digits=2)


def histogram_of(values: list[int]) -> Histogram:
    return Histogram(GEOMETRY, np.bincount(GEOMETRY.places(np.array(values, np.int64))))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 2**44), min_size=1, max_size=40))
def test_a_histogram_survives_its_encoding(values: list[int]) -> None:
    original = histogram_of(values)
    decoded = decode(encode(original))
    assert decoded.geometry == GEOMETRY
    assert decoded.counts.tolist() == original.counts.tolist()


def test_the_hdrhistogram_package_decodes_the_same_values() -> None:
    values = [1, 5, 100, 12_345, 12_345, 10**9]
    decoded = HdrHistogram.decode(encode(histogram_of(values)))
    assert decoded.get_total_count() == len(values)
    for percent in (10, 50, 90, 100):
        assert decoded.get_value_at_percentile(percent) == histogram_of(values).percentile(percent)


def test_a_log_survives_tags_with_separators(tmp_path: Path) -> None:
    histograms = [
        TaggedHistogram("sda.read", 0.0, 2.5, histogram_of([10, 20])),
        TaggedHistogram("a,b\nc", 2.5, 1.0, histogram_of([30])),
    ]
    path = tmp_path / "x.hlog"
    path.write_text("".join(interval_log(1_700_000_000.0, histograms)))
    log = read_interval_log(path)
    assert log.warnings == ()
    assert [(interval.start_s, interval.length_s) for interval in log.intervals] == [
        (0.0, 2.5),
        (2.5, 1.0),
    ]
    assert [interval.histogram.total for interval in log.intervals] == [2, 1]
    assert "Tag=a_b_c," in path.read_text()
