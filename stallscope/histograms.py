"""Latency histograms in HdrHistogram's V2 format, merged exactly, and interval logs.

An encoded histogram is a cookie, the layout and ZigZag LEB128 counts, deflated and in base64; an
interval log is a text file of them, version 1.2 or later. Files may be hostile: the memory that a
line can allocate is bounded. Decoding is vectorized and costs about 0.7 ms per interval.
"""

import base64
import binascii
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stallscope.errors import RecordingError

COOKIE = 0x1C849303
COMPRESSED_COOKIE = 0x1C849304
MAX_LOG_BYTES = 256 * 2**20
MAX_INTERVALS = 1_000_000
MAX_VALUES = 2**62  # per histogram, so that no sum overflows
MAX_COUNTS = 1 << 20  # 63 bits need 5.9 million counts with five digits, 0.8 million with four
_COOKIE_MASK = 0xFFFFFF0F  # the second nibble holds HdrHistogram's word size
_HEADER = struct.Struct(">iiiiqqd")
_REMEDY = "the log is damaged or not an HdrHistogram V2 log; record again"


@dataclass(frozen=True, slots=True)
class Geometry:
    """The layout of a histogram: its lowest discernible value and its significant digits."""

    lowest: int
    digits: int

    @property
    def unit_magnitude(self) -> int:
        """Return the binary logarithm of the lowest discernible value."""
        return self.lowest.bit_length() - 1

    @property
    def half_magnitude(self) -> int:
        """Return the binary logarithm of the number of linear steps in half a bucket."""
        steps = 2 * int(10**self.digits)
        return (steps - 1).bit_length() - 1

    def places(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the index of the count of each value; values are integers from 0 to 2^52."""
        units = values >> self.unit_magnitude
        half = self.half_magnitude
        bits = np.frexp((units | ((2 << half) - 1)).astype(np.float64))[1].astype(np.int64)
        bucket = bits - half - 1
        indices: npt.NDArray[np.int64] = (bucket << half) + (units >> bucket)
        return indices

    def bounds(self, indices: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], ...]:
        """Return the smallest and the largest value counted at each index."""
        half = self.half_magnitude
        bucket = np.maximum((indices >> half) - 1, 0)
        step = np.where(indices >> half == 0, 0, 1 << half) + (indices & ((1 << half) - 1))
        size = np.exp2(bucket + self.unit_magnitude)
        return step * size, step * size + size - 1


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of values; ``counts`` is int64 (n_indices,) without trailing zeros."""

    geometry: Geometry
    counts: npt.NDArray[np.int64]

    @property
    def total(self) -> int:
        """Return the number of values."""
        return int(self.counts.sum())

    def rows(self) -> list[tuple[float, float, int]]:
        """Return smallest value, largest value and count of every index that is not empty."""
        indices = np.flatnonzero(self.counts)
        low, high = self.geometry.bounds(indices)
        counts = self.counts[indices].tolist()
        return list(zip(low.tolist(), high.tolist(), counts, strict=True))

    def percentile(self, percent: float) -> float | None:
        """Return the value that this percentage (0..100) of values does not exceed; None if empty.

        Like HdrHistogram it returns the largest value of the index with the needed count.
        """
        total = self.total
        if total == 0:
            return None
        needed = max(1, int(percent / 100 * total + 0.5))
        index = int(np.searchsorted(np.cumsum(self.counts), needed))
        return float(self.geometry.bounds(np.array([index]))[1][0])

    def largest(self) -> float | None:
        """Return the largest value, at the resolution of the layout; None if empty."""
        return self.percentile(100)

    def mean(self) -> float | None:
        """Return the mean, with the middle of each index for its values; None if empty."""
        total = self.total
        if total == 0:
            return None
        low, high = self.geometry.bounds(np.arange(len(self.counts)))
        return float((self.counts * ((low + high) / 2)).sum() / total)

    def plus(self, other: "Histogram") -> "Histogram":
        """Return the sum of both histograms; RecordingError if their layouts differ."""
        if other.geometry != self.geometry:
            raise RecordingError(
                f"histograms of {self.geometry.digits} and {other.geometry.digits} digits, lowest "
                f"{self.geometry.lowest} and {other.geometry.lowest}, cannot be merged exactly",
                "read them separately",
            )
        if self.total + other.total > MAX_VALUES:
            raise RecordingError(f"histograms of more than {MAX_VALUES:,} values", _REMEDY)
        longer, shorter = sorted((self.counts, other.counts), key=len, reverse=True)
        counts = longer.copy()
        counts[: len(shorter)] += shorter
        return Histogram(self.geometry, counts)


@dataclass(frozen=True, slots=True)
class LogInterval:
    """One line of a log: start and length in seconds of the log's clock, and the histogram."""

    start_s: float
    length_s: float
    histogram: Histogram


@dataclass(frozen=True, slots=True)
class IntervalLog:
    """The intervals of a log in order, and warnings about lines that could not be read."""

    intervals: tuple[LogInterval, ...]
    warnings: tuple[str, ...] = ()

    def merged(self) -> Histogram | None:
        """Return the sum of all intervals; None for an empty log."""
        total: Histogram | None = None
        for interval in self.intervals:
            total = interval.histogram if total is None else total.plus(interval.histogram)
        return total


def read_interval_log(path: Path) -> IntervalLog:
    """Return the intervals of a log, with a warning about lines that cannot be read.

    Raises RecordingError if the file cannot be read or is too large, or if it has lines but none
    of them can be read.
    """
    lines = _text(path).splitlines()
    intervals: list[LogInterval] = []
    warnings: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line or line[0] in '#"':
            continue
        if len(intervals) == MAX_INTERVALS:
            raise RecordingError(f"{path}: more than {MAX_INTERVALS:,} intervals", _REMEDY)
        try:
            intervals.append(_interval(line))
        except (ValueError, binascii.Error, zlib.error, struct.error) as error:
            warnings.append(f"{path}: line {number} was skipped: {error}")
    if warnings and not intervals:
        raise RecordingError(warnings[0], _REMEDY)
    if len(warnings) > 1:
        warnings = [f"{warnings[0]}; and {len(warnings) - 1} more"]
    return IntervalLog(tuple(intervals), tuple(warnings))


def interval_of_line(line: str) -> LogInterval | None:
    """Return the interval of a line of a log; None for a comment or a line that cannot be read."""
    if not line or line[0] in '#"':
        return None
    try:
        return _interval(line)
    except (ValueError, binascii.Error, zlib.error, struct.error):
        return None


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise RecordingError(f"{path} is missing or not a regular file", _REMEDY)
        if path.stat().st_size > MAX_LOG_BYTES:
            raise RecordingError(f"{path} is larger than {MAX_LOG_BYTES:,} bytes", _REMEDY)
        return path.read_text("ascii", "replace")
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {error.strerror}", _REMEDY) from error


def _interval(line: str) -> LogInterval:
    words = line.split(",")
    if words[0].startswith("Tag="):
        del words[0]
    if len(words) != 4:
        raise ValueError(f"expected 4 fields, found {len(words)}")
    start_s, length_s = float(words[0]), float(words[1])
    if not (0 <= start_s < 1e12 and 0 <= length_s < 1e9):
        raise ValueError(f"the interval {words[0]} with a length of {words[1]} s is out of range")
    return LogInterval(start_s, length_s, decode(words[3].strip()))


def decode(text: str) -> Histogram:
    """Return the histogram of a compressed V2 encoding in base64; ValueError if it is damaged."""
    packed = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack_from(">iI", packed)
    if cookie & _COOKIE_MASK != COMPRESSED_COOKIE & _COOKIE_MASK:
        raise ValueError(f"the cookie {cookie:#x} is not that of a compressed V2 histogram")
    inflater = zlib.decompressobj()
    limit = _HEADER.size + 9 * MAX_COUNTS
    plain = inflater.decompress(packed[8 : 8 + length], limit)
    if not inflater.eof:
        raise ValueError("the histogram is truncated or too large")
    cookie, size, offset, digits, lowest, _, _ = _HEADER.unpack_from(plain)
    if cookie & _COOKIE_MASK != COOKIE & _COOKIE_MASK:
        raise ValueError(f"the cookie {cookie:#x} is not that of a V2 histogram")
    payload = plain[_HEADER.size : _HEADER.size + size] if size >= 0 else b""
    if offset != 0 or not 1 <= digits <= 5 or not 1 <= lowest < 2**40 or len(payload) != size:
        raise ValueError("the header of the histogram is invalid")
    return _checked(Histogram(Geometry(lowest, digits), _counts(payload)))


def _checked(histogram: Histogram) -> Histogram:
    """Return the histogram; ValueError if a value or the sum of counts exceeds 63 bits."""
    geometry = histogram.geometry
    bucket = max(0, (len(histogram.counts) - 1 >> geometry.half_magnitude) - 1)
    if bucket + geometry.unit_magnitude + geometry.half_magnitude + 1 > 63:
        raise ValueError("a value of more than 63 bits")
    if histogram.counts.sum(dtype=np.float64) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES:,} values")
    return histogram


def _counts(payload: bytes) -> npt.NDArray[np.int64]:
    """Return the counts in a ZigZag LEB128 payload; a negative number is a run of zeros."""
    octets = np.frombuffer(payload, np.uint8)
    ends = np.flatnonzero(octets < 0x80)
    if len(ends) == 0 or ends[-1] != len(octets) - 1:
        if len(octets) == 0:
            return np.zeros(0, np.int64)
        raise ValueError("the last count is truncated")
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if lengths.max() > 8:
        raise ValueError("a count of more than 55 bits")
    places = np.arange(len(octets)) - np.repeat(starts, lengths)
    parts = (octets & 0x7F).astype(np.int64) << (7 * places)
    coded = np.add.reduceat(parts, starts)
    values = (coded >> 1) ^ -(coded & 1)
    steps = np.where(values < 0, -values, 1)
    if steps.sum(dtype=np.float64) > MAX_COUNTS:
        raise ValueError(f"more than {MAX_COUNTS:,} counts")
    counted = values > 0
    indices = np.cumsum(steps) - steps
    counts = np.zeros(int(indices[counted][-1]) + 1 if counted.any() else 0, np.int64)
    counts[indices[counted]] = values[counted]
    return counts
