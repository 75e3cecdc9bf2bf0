"""The intervals of a run's log."""

from pathlib import Path

import numpy as np
import pytest

from harness.labs.stages.measurement import IntervalP99
from harness.labs.stages.rounds import interval_p99
from stallscope.histogram_encoding import encode
from stallscope.histograms import Geometry, Histogram


def histogram_of(*values_ns: int) -> Histogram:
    geometry = Geometry(1, 3)
    counts = np.bincount(geometry.places(np.array(values_ns, np.int64)))
    return Histogram(geometry, counts.astype(np.int64))


def test_every_interval_with_values_has_its_own_p99(tmp_path: Path) -> None:
    log = tmp_path / "intended.hlog"
    intervals = [(0.0, histogram_of(1000)), (1.0, histogram_of()), (2.0, histogram_of(1500))]
    lines = [f"{start_s},1.0,0.002,{encode(histogram)}" for start_s, histogram in intervals]
    log.write_text("\n".join(lines) + "\n")
    assert interval_p99(log, 100.0) == (
        IntervalP99(100.0, 1.0, pytest.approx(1.0)),
        IntervalP99(102.0, 1.0, pytest.approx(1.5)),
    )
