"""Histograms of interval lengths by powers of two, for the page and for pictures."""

import numpy as np
import numpy.typing as npt

from stallscope.histograms import Histogram

BINS = 24  # powers of two from 1 us


def octaves(lengths: Histogram) -> npt.NDArray[np.int64]:
    """Return the counts by powers of two of 1 us, shape (24,); the ends include what is beyond."""
    places = np.flatnonzero(lengths.counts)
    low, high = lengths.geometry.bounds(places)
    exponents = np.log2(np.maximum((low + high) / 2 / 1000, 1))
    octave = np.clip(exponents.astype(np.int64), 0, BINS - 1)
    counts: npt.NDArray[np.int64] = np.zeros(BINS, np.int64)
    np.add.at(counts, octave, lengths.counts[places])
    return counts


def length_text(octave: int) -> str:
    """Return the lower bound of an octave, such as "16 us"."""
    us = 2**octave
    if us < 1000:
        return f"{us} us"
    return f"{us / 1000:.0f} ms" if us < 1_000_000 else f"{us / 1e6:.1f} s"
