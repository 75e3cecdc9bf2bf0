"""Rows of waits, counters and loads."""

from pathlib import Path

import numpy as np
import pytest

from harness.diff.build import compare_rows
from harness.diff.options import DiffOptions
from harness.diff.other_rows import band_rows, latency_rows, slot_rows, state_rows
from stallscope.errors import RecordingError
from stallscope.histograms import Geometry, Histogram, IntervalLog, LogInterval
from stallscope.recordings import open_recording
from tests.harness.topdown.counters_recording import counters_recording

OPTIONS = DiffOptions(Path("a"), Path("b"))


def _log(values: list[int], intervals: int = 12) -> IntervalLog:
    """Return a log with the values, in units of 1,024 ns, in each interval."""
    geometry = Geometry(1024, 2)
    places = geometry.places(np.array(values) * 1024)
    histogram = Histogram(geometry, np.bincount(places))
    return IntervalLog(tuple(LogInterval(float(n), 1.0, histogram) for n in range(intervals)))


def test_states_of_all_threads_add_up() -> None:
    rows = state_rows(open_recording(Path("tests/captures/switches.perf")))
    everything = [":" not in key.name for key in rows.keys]
    assert rows.parts[everything].sum() == pytest.approx(rows.whole.sum())
    assert rows.noun == "state"


def test_slots_are_compared_by_interval(tmp_path) -> None:
    rows = slot_rows(open_recording(counters_recording(tmp_path / "run", windows=10)))
    assert rows.parts.shape == (len(rows.keys), rows.whole.size)
    assert not compare_rows(rows, rows, OPTIONS).own.flagged.any()


def test_latency_bands_that_grow_are_flagged() -> None:
    a, b = band_rows(_log([8] * 98 + [900] * 2), "a"), band_rows(_log([8] * 80 + [900] * 20), "b")
    compared = compare_rows(a, b, OPTIONS)
    assert [key.name for key in compared.keys] == ["up to 10.0 µs", "up to 1.00 ms"]
    assert compared.own.flagged.all()
    assert compared.own.delta[1] == pytest.approx(0.18)


def test_short_logs_have_no_noise() -> None:
    with pytest.raises(RecordingError, match="2 intervals; its noise needs at least 4"):
        band_rows(_log([5], 2), "a")
    with pytest.raises(RecordingError, match="intervals; its noise"):
        latency_rows(open_recording(Path("tests/recordings/load")))
