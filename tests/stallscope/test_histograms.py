"""Histograms against the reference implementation, and against damaged and hostile logs."""

import base64
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter
from hypothesis import given, settings
from hypothesis import strategies as st

from stallscope.errors import RecordingError
from stallscope.histograms import Histogram, decode, read_interval_log

LARGEST = 3_600 * 10**9
# The reference implementation takes tens of milliseconds per histogram.
FEW_EXAMPLES = settings(max_examples=20, deadline=None)
PERCENTS = (0.001, 25, 50, 75, 90, 99, 99.9, 100)


def reference(values: dict[int, int], digits: int = 3) -> HdrHistogram:
    histogram = HdrHistogram(1, LARGEST, digits)
    for value, count in values.items():
        histogram.record_value(value, count)
    return histogram


def encoded(histogram: HdrHistogram) -> str:
    return histogram.encode().decode("ascii")


def write_log(path: Path, *histograms: HdrHistogram) -> None:
    with path.open("w") as file:
        writer = HistogramLogWriter(file)
        writer.output_log_format_version()
        writer.output_legend()
        for second, histogram in enumerate(histograms):
            histogram.set_start_time_stamp(second * 1_000)
            histogram.set_end_time_stamp(1_000 + second * 1_000)
            writer.output_interval_histogram(histogram, max_value_unit_ratio=1.0)


@FEW_EXAMPLES
@given(
    values=st.dictionaries(st.integers(1, LARGEST), st.integers(1, 2**40), min_size=1, max_size=30),
    digits=st.integers(1, 4),
)
def test_percentiles_equal_those_of_the_hdrhistogram_package(
    values: dict[int, int], digits: int
) -> None:
    theirs = reference(values, digits)
    ours = decode(encoded(theirs))
    assert ours.total == theirs.get_total_count()
    for percent in PERCENTS:
        assert ours.percentile(percent) == theirs.get_value_at_percentile(percent)


@FEW_EXAMPLES
@given(
    st.lists(
        st.dictionaries(st.integers(1, LARGEST), st.integers(1, 9), min_size=1, max_size=9),
        min_size=1,
        max_size=4,
    )
)
def test_merged_histograms_equal_those_of_the_hdrhistogram_package(
    parts: list[dict[int, int]],
) -> None:
    ours = [decode(encoded(reference(part))) for part in parts]
    merged = ours[0]
    for histogram in ours[1:]:
        merged = merged.plus(histogram)
    whole = HdrHistogram(1, LARGEST, 3)
    for part in parts:
        whole.add(reference(part))
    for percent in PERCENTS:
        assert merged.percentile(percent) == whole.get_value_at_percentile(percent)


def test_a_stall_of_a_second_has_the_known_percentiles() -> None:
    """10,000 requests at 1,000 per second, a stall of 1 s, 0.1 ms of service: p90, p95, p99."""
    stalled = [1_000_000_000 - n * 1_000_000 for n in range(1_000)]
    values = dict.fromkeys(stalled, 1) | {100_000: 9_000}
    histogram = decode(encoded(reference(values)))
    for percent, expected_ms in ((95, 500), (99, 900), (99.9, 990)):
        value = histogram.percentile(percent)
        assert value == pytest.approx(expected_ms * 1e6, rel=0.01)
    assert histogram.percentile(89.9) == pytest.approx(100_000, rel=0.001)


def test_a_log_is_read_interval_by_interval(tmp_path: Path) -> None:
    log = tmp_path / "intended.hlog"
    write_log(log, reference({1_000: 10}), reference({5_000_000: 1, 7: 2}), reference({}))
    read = read_interval_log(log)
    assert [(interval.start_s, interval.length_s) for interval in read.intervals] == [
        (0, 1),
        (1, 1),
        (2, 1),
    ]
    assert [interval.histogram.total for interval in read.intervals] == [10, 3, 0]
    whole = read.merged()
    assert whole is not None
    assert whole.total == 13
    assert whole.largest() == pytest.approx(5_000_000, rel=0.001)
    assert whole.mean() == pytest.approx((10 * 1_000 + 5_000_000 + 14) / 13, rel=0.001)
    assert read.warnings == ()


def test_an_empty_histogram_has_no_percentiles() -> None:
    empty = decode(encoded(reference({})))
    assert (empty.total, empty.percentile(50), empty.largest(), empty.mean()) == (0,) + (None,) * 3


def test_a_truncated_line_does_not_affect_the_others(tmp_path: Path) -> None:
    log = tmp_path / "cut.hlog"
    write_log(log, reference({1_000: 10}), reference({2_000: 10}))
    log.write_text(log.read_text()[:-25])
    read = read_interval_log(log)
    assert len(read.intervals) == 1
    assert "line" in read.warnings[0]


def test_tags_and_comments_are_ignored(tmp_path: Path) -> None:
    log = tmp_path / "tagged.hlog"
    log.write_text(f"#[a comment]\nTag=reads,0.5,1.0,2.0,{encoded(reference({9: 1}))}\n")
    assert read_interval_log(log).intervals[0].start_s == 0.5


def packed(plain: bytes) -> str:
    deflated = zlib.compress(plain)
    return base64.b64encode(struct.pack(">iI", 0x1C849314, len(deflated)) + deflated).decode()


def v2(payload: bytes, *, digits: int = 3, lowest: int = 1, size: int | None = None) -> bytes:
    length = len(payload) if size is None else size
    return struct.pack(">iiiiqqd", 0x1C849313, length, 0, digits, lowest, 10**9, 1.0) + payload


@pytest.mark.parametrize(
    "text",
    [
        "",
        "HISTFAAA",
        "not base64!",
        base64.b64encode(b"\0" * 40).decode(),
        packed(b"\0" * 60),
        packed(v2(b"\x02", digits=9)),
        packed(v2(b"\x02", digits=0)),
        packed(v2(b"\x02", lowest=0)),
        packed(v2(b"\x02", size=-1)),
        packed(v2(b"\x02", size=99)),
        packed(v2(b"\x80\x80")),
        packed(v2(b"\xff\xff\x07\x02", digits=1)),  # a value of more than 63 bits
        packed(v2(b"\xfe\xff\xff\xff\xff\xff\xff\x7f" * 600)),  # a sum of more than 63 bits
        packed(v2(b"\xff" * 8 + b"\x7f")),
        packed(v2(b"\xff\xff\xff\xff\xff\xff\x7f")),
        packed(b"\0" * 50_000_000),
    ],
)
def test_a_damaged_histogram_is_rejected_with_bounded_memory(tmp_path: Path, text: str) -> None:
    log = tmp_path / "bad.hlog"
    log.write_text(f"0,1,1,{text}\n")
    with pytest.raises(RecordingError, match="line 1 was skipped"):
        read_interval_log(log)


@given(st.binary(max_size=60))
def test_any_payload_is_decoded_or_rejected(payload: bytes) -> None:
    try:
        histogram = decode(packed(v2(payload)))
    except ValueError:
        return
    assert isinstance(histogram, Histogram)
    assert (histogram.counts >= 0).all()
    assert histogram.counts.dtype == np.int64
    assert all(value is None or value < 2**63 for value in (histogram.largest(), histogram.mean()))


def test_missing_files_and_directories_are_rejected(tmp_path: Path) -> None:
    for path in (tmp_path / "none.hlog", tmp_path):
        with pytest.raises(RecordingError, match="missing or not a regular file"):
            read_interval_log(path)
