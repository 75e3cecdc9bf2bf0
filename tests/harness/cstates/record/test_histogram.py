"""Histograms of interval lengths."""

import numpy as np

from harness.cstates.record.analysis import idle_run
from harness.cstates.record.histogram import octaves
from tests.harness.cstates.record.results import recording_of


def test_lengths_are_counted_by_powers_of_two() -> None:
    lengths = idle_run(recording_of(7)).lengths_of(1)
    assert lengths is not None
    counts = octaves(lengths)
    assert np.flatnonzero(counts).tolist() == [6]  # 64 to 128 us
    assert counts.sum() == 7
