"""Histograms written here, read by ourselves and by HdrHistogram's own Python package."""

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
def test_what_is_written_is_read_again(values: list[int]) -> None:
    written = histogram_of(values)
    found = decode(encode(written))
    assert found.geometry == GEOMETRY
    assert found.counts.tolist() == written.counts.tolist()


def test_another_implementation_reads_the_same() -> None:
    values = [1, 5, 100, 12_345, 12_345, 10**9]
    found = HdrHistogram.decode(encode(histogram_of(values)))
    assert found.get_total_count() == len(values)
    for percent in (10, 50, 90, 100):
        assert found.get_value_at_percentile(percent) == histogram_of(values).percentile(percent)


def test_a_log_is_read_again_and_its_tags_cannot_break_it(tmp_path: Path) -> None:
    histograms = [
        TaggedHistogram("sda.read", 0.0, 2.5, histogram_of([10, 20])),
        TaggedHistogram("a,b\nc", 2.5, 1.0, histogram_of([30])),
    ]
    path = tmp_path / "x.hlog"
    path.write_text("".join(interval_log(1_700_000_000.0, histograms)))
    log = read_interval_log(path)
    assert log.warnings == ()
    assert [(each.start_s, each.length_s) for each in log.intervals] == [(0.0, 2.5), (2.5, 1.0)]
    assert [each.histogram.total for each in log.intervals] == [2, 1]
    assert "Tag=a_b_c," in path.read_text()
