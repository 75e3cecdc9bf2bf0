"""Histograms of latency: HdrHistogram's V2 form, merged exactly, and the interval logs they lie in.

The forms are those of HdrHistogram's V2 encoding (a cookie, the geometry, ZigZag LEB128 counts,
deflated, in base64) and of its interval log, version 1.2 and later. Files may be strangers': what
a line can make us allocate is bounded. Reading is vectorised: some 0.7 ms an interval.
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
LARGEST_LOG_BYTES = 256 * 2**20
MOST_INTERVALS = 1_000_000
MOST_VALUES = 2**62  # in one histogram, so that no sum overflows
MOST_COUNTS = 1 << 20  # five digits over all of 63 bits need 5.9 million; four digits need 0.8
_COOKIE_MASK = 0xFFFFFF0F  # HdrHistogram keeps its word size in the cookie's second half byte
_HEADER = struct.Struct(">iiiiqqd")
_REMEDY = "the log was damaged or is no HdrHistogram V2 log; record again"


@dataclass(frozen=True, slots=True)
class Geometry:
    """How a histogram's counts are laid out: its least unit and its digits that hold."""

    lowest: int
    digits: int

    @property
    def unit_magnitude(self) -> int:
        """Return the power of two that the least unit holds."""
        return self.lowest.bit_length() - 1

    @property
    def half_magnitude(self) -> int:
        """Return the power of two of the linear steps in one bucket's half."""
        steps = 2 * int(10**self.digits)
        return (steps - 1).bit_length() - 1

    def places(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return each value's place; values are whole, from 0 to 2^52."""
        units = values >> self.unit_magnitude
        half = self.half_magnitude
        bits = np.frexp((units | ((2 << half) - 1)).astype(np.float64))[1].astype(np.int64)
        bucket = bits - half - 1
        placed: npt.NDArray[np.int64] = (bucket << half) + (units >> bucket)
        return placed

    def bounds(self, indices: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], ...]:
        """Return the least and the greatest value that each count's place stands for."""
        half = self.half_magnitude
        bucket = np.maximum((indices >> half) - 1, 0)
        step = np.where(indices >> half == 0, 0, 1 << half) + (indices & ((1 << half) - 1))
        size = np.exp2(bucket + self.unit_magnitude)
        return step * size, step * size + size - 1


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of values by size; ``counts`` is (n_places,) of int64, short of its trailing zeros."""

    geometry: Geometry
    counts: npt.NDArray[np.int64]

    @property
    def total(self) -> int:
        """Return how many values were counted."""
        return int(self.counts.sum())

    def rows(self) -> list[tuple[float, float, int]]:
        """Return the least and greatest value and the count of each place that has any."""
        places = np.flatnonzero(self.counts)
        low, high = self.geometry.bounds(places)
        counts = self.counts[places].tolist()
        return list(zip(low.tolist(), high.tolist(), counts, strict=True))

    def percentile(self, percent: float) -> float | None:
        """Return the value that this percent (0..100) of values do not exceed; None where empty.

        As HdrHistogram has it: the greatest value of the place that holds the wanted count.
        """
        total = self.total
        if total == 0:
            return None
        wanted = max(1, int(percent / 100 * total + 0.5))
        place = int(np.searchsorted(np.cumsum(self.counts), wanted))
        return float(self.geometry.bounds(np.array([place]))[1][0])

    def largest(self) -> float | None:
        """Return the greatest value counted, as exactly as the places tell; None where empty."""
        return self.percentile(100)

    def mean(self) -> float | None:
        """Return the mean of the places' middles; None where empty."""
        total = self.total
        if total == 0:
            return None
        low, high = self.geometry.bounds(np.arange(len(self.counts)))
        return float((self.counts * ((low + high) / 2)).sum() / total)

    def plus(self, other: "Histogram") -> "Histogram":
        """Return both histograms' values in one; RecordingError where their layouts differ."""
        if other.geometry != self.geometry:
            raise RecordingError(
                f"histograms of {self.geometry.digits} and {other.geometry.digits} digits, least "
                f"{self.geometry.lowest} and {other.geometry.lowest}, cannot be merged exactly",
                "read them apart",
            )
        if self.total + other.total > MOST_VALUES:
            raise RecordingError(f"histograms of more than {MOST_VALUES:,} values", _REMEDY)
        longer, shorter = sorted((self.counts, other.counts), key=len, reverse=True)
        counts = longer.copy()
        counts[: len(shorter)] += shorter
        return Histogram(self.geometry, counts)


@dataclass(frozen=True, slots=True)
class Interval:
    """One line of a log: when it began (seconds, as the log counts), how long, what was counted."""

    start_s: float
    length_s: float
    histogram: Histogram


@dataclass(frozen=True, slots=True)
class IntervalLog:
    """A log's intervals in their order, and what was wrong with lines that were passed over."""

    intervals: tuple[Interval, ...]
    warnings: tuple[str, ...] = ()

    def whole(self) -> Histogram | None:
        """Return all intervals in one histogram; None of an empty log."""
        merged: Histogram | None = None
        for interval in self.intervals:
            merged = interval.histogram if merged is None else merged.plus(interval.histogram)
        return merged


def read_interval_log(path: Path) -> IntervalLog:
    """Return a log's intervals; lines that cannot be read are named in its warnings.

    Raises RecordingError where the file cannot be read, is too large, or no line of it is a
    histogram though some claim to be.
    """
    lines = _text(path).splitlines()
    intervals: list[Interval] = []
    wrong: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line or line[0] in '#"':
            continue
        if len(intervals) == MOST_INTERVALS:
            raise RecordingError(f"{path}: more than {MOST_INTERVALS:,} intervals", _REMEDY)
        try:
            intervals.append(_interval(line))
        except (ValueError, binascii.Error, zlib.error, struct.error) as error:
            wrong.append(f"{path}: line {number} was passed over: {error}")
    if wrong and not intervals:
        raise RecordingError(wrong[0], _REMEDY)
    if len(wrong) > 1:
        wrong = [f"{wrong[0]}; and {len(wrong) - 1} more"]
    return IntervalLog(tuple(intervals), tuple(wrong))


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise RecordingError(f"{path} is not there, or no regular file", _REMEDY)
        if path.stat().st_size > LARGEST_LOG_BYTES:
            raise RecordingError(f"{path} is larger than {LARGEST_LOG_BYTES:,} bytes", _REMEDY)
        return path.read_text("ascii", "replace")
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {error.strerror}", _REMEDY) from error


def _interval(line: str) -> Interval:
    words = line.split(",")
    if words[0].startswith("Tag="):
        del words[0]
    if len(words) != 4:
        raise ValueError(f"expected 4 fields, found {len(words)}")
    start_s, length_s = float(words[0]), float(words[1])
    if not (0 <= start_s < 1e12 and 0 <= length_s < 1e9):
        raise ValueError(f"an interval at {words[0]} of {words[1]} s")
    return Interval(start_s, length_s, decode(words[3].strip()))


def decode(text: str) -> Histogram:
    """Return the histogram of a compressed V2 encoding in base64; ValueError where it is none."""
    packed = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack_from(">iI", packed)
    if cookie & _COOKIE_MASK != COMPRESSED_COOKIE & _COOKIE_MASK:
        raise ValueError(f"the cookie is {cookie:#x}: no compressed V2 histogram")
    inflater = zlib.decompressobj()
    limit = _HEADER.size + 9 * MOST_COUNTS
    plain = inflater.decompress(packed[8 : 8 + length], limit)
    if not inflater.eof:
        raise ValueError("the histogram is cut off, or too large")
    cookie, size, offset, digits, lowest, _, _ = _HEADER.unpack_from(plain)
    if cookie & _COOKIE_MASK != COOKIE & _COOKIE_MASK:
        raise ValueError(f"the cookie is {cookie:#x}: no V2 histogram")
    payload = plain[_HEADER.size : _HEADER.size + size] if size >= 0 else b""
    if offset != 0 or not 1 <= digits <= 5 or not 1 <= lowest < 2**40 or len(payload) != size:
        raise ValueError("the histogram's header makes no sense")
    return _checked(Histogram(Geometry(lowest, digits), _counts(payload)))


def _checked(found: Histogram) -> Histogram:
    """Return the histogram; ValueError where a place is beyond 63 bits, or a sum would be."""
    geometry = found.geometry
    bucket = max(0, (len(found.counts) - 1 >> geometry.half_magnitude) - 1)
    if bucket + geometry.unit_magnitude + geometry.half_magnitude + 1 > 63:
        raise ValueError("a value of more than 63 bits")
    if found.counts.sum(dtype=np.float64) > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES:,} values")
    return found


def _counts(payload: bytes) -> npt.NDArray[np.int64]:
    """Return the counts of a ZigZag LEB128 payload, in which a negative one is a run of zeros."""
    octets = np.frombuffer(payload, np.uint8)
    ends = np.flatnonzero(octets < 0x80)
    if len(ends) == 0 or ends[-1] != len(octets) - 1:
        if len(octets) == 0:
            return np.zeros(0, np.int64)
        raise ValueError("the last count is cut off")
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if lengths.max() > 8:
        raise ValueError("a count of more than 55 bits")
    places = np.arange(len(octets)) - np.repeat(starts, lengths)
    parts = (octets & 0x7F).astype(np.int64) << (7 * places)
    coded = np.add.reduceat(parts, starts)
    values = (coded >> 1) ^ -(coded & 1)
    steps = np.where(values < 0, -values, 1)
    if steps.sum(dtype=np.float64) > MOST_COUNTS:
        raise ValueError(f"more than {MOST_COUNTS:,} counts")
    counted = values > 0
    indices = np.cumsum(steps) - steps
    counts = np.zeros(int(indices[counted][-1]) + 1 if counted.any() else 0, np.int64)
    counts[indices[counted]] = values[counted]
    return counts
