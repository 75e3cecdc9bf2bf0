"""Writing HdrHistograms in their V2 form, and interval logs, as histograms.py reads them."""

import base64
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stallscope.histograms import COMPRESSED_COOKIE, COOKIE, Histogram

_HEADER = struct.Struct(">iiiiqqd")
_WORD_SIZE = 0x10  # HdrHistogram keeps it in a cookie's second half byte
_HOUR_NS = 3_600_000_000_000
_NO_TAG = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class TaggedHistogram:
    """What was counted (ns) under a name, in an interval since the log's start."""

    tag: str
    begin_s: float
    length_s: float
    histogram: Histogram


def encode(histogram: Histogram) -> str:
    """Return a histogram compressed and in base64; some 0.3 ms."""
    payload = bytearray()
    zeros = 0
    for count in histogram.counts.tolist():
        if count == 0:
            zeros += 1
            continue
        if zeros:
            _append(payload, -zeros)
            zeros = 0
        _append(payload, count)
    geometry = histogram.geometry
    top = geometry.bounds(np.array([max(0, len(histogram.counts) - 1)]))[1][0]
    highest = max(_HOUR_NS, int(top))
    header = _HEADER.pack(
        COOKIE | _WORD_SIZE, len(payload), 0, geometry.digits, geometry.lowest, highest, 1.0
    )
    packed = zlib.compress(header + bytes(payload))
    return base64.b64encode(
        struct.pack(">iI", COMPRESSED_COOKIE | _WORD_SIZE, len(packed)) + packed
    ).decode()


def _append(payload: bytearray, value: int) -> None:
    """Append a number as ZigZag LEB128."""
    coded = value << 1 if value >= 0 else (-value << 1) - 1
    while coded >= 0x80:
        payload.append(coded & 0x7F | 0x80)
        coded >>= 7
    payload.append(coded)


def interval_log(start_s: float, histograms: Sequence[TaggedHistogram]) -> Iterator[str]:
    """Yield an interval log's lines, format version 1.3; ``start_s`` is seconds since 1970."""
    yield "#[Histogram log format version 1.3]\n"
    yield f"#[StartTime: {start_s:.3f} (seconds since epoch)]\n"
    yield '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
    for each in histograms:
        most_ms = (each.histogram.largest() or 0.0) / 1e6
        yield (
            f"Tag={_NO_TAG.sub('_', each.tag)},{each.begin_s:.3f},{each.length_s:.3f},"
            f"{most_ms:.6f},{encode(each.histogram)}\n"
        )
