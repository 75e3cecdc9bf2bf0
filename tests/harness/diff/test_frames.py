"""Frames of profiles, and the bars of the comparison."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.diff.build import compare_rows
from harness.diff.frames import frame_rows
from harness.diff.options import Basis, DiffOptions
from stallscope.errors import RecordingError
from tests.harness.diff.profiles import HOT, profile

OPTIONS = DiffOptions(Path("a"), Path("b"), Basis.REQUEST, (1000, 1000))
SHARES = DiffOptions(Path("a"), Path("b"))


def _rows(seed: int, **options):
    return frame_rows(profile(seed, **options), title="run")


def test_self_and_total_of_frames_are_shares_of_all_samples() -> None:
    rows = _rows(1, samples=10_000)
    assert len(rows.keys) > 400
    place = [key.name for key in rows.keys].index("main")
    assert rows.parts[place].sum() == 0
    assert rows.totals[place].sum() == rows.whole.sum()
    assert rows.samples == 10_000


def test_samples_without_times_are_refused() -> None:
    with pytest.raises(RecordingError, match="run: the samples have no times"):
        frame_rows(replace(profile(1, samples=1000), times=None), title="run")


def test_at_most_one_of_20_equal_pairs_flags_any_of_500_frames() -> None:
    flags = 0
    for pair in range(20):
        a, b = (_rows(100 + 2 * pair + side, samples=20_000) for side in (0, 1))
        compared = compare_rows(a, b, SHARES)
        flags += bool(compared.own.flagged.any() or compared.total.flagged.any())
    assert flags <= 1


def test_a_function_3_percent_slower_comes_first_in_9_of_10_runs() -> None:
    first = 0
    for run in range(10):
        a, b = _rows(200 + 2 * run), _rows(201 + 2 * run, slower=1.03)
        compared = compare_rows(a, b, OPTIONS)
        largest = abs(compared.own.delta).argmax()
        first += compared.keys[largest].name == f"function_{HOT}"
    assert first >= 9
