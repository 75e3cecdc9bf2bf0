"""Values by time: the sums of all bins are those of the whole recording."""

from pathlib import Path

import pytest

from harness.waits.binned import BINS, BinnedValues, binned_values
from harness.waits.build import waits_result
from tests.harness.waits.analyses import analysis

US = 1000
TEXT = """
    hog R(code)0-500
    w-1@1 R0-10 W(hog,lock)10-90 R90-200 W(hog,lock)200-490 R490-500
    """


def made(**options: object) -> BinnedValues | None:
    return binned_values(analysis(TEXT, cpu_sample_every=1, **options), Path("run"))


def total(binned: BinnedValues, series: int) -> int:
    return sum(binned.series[series][1::2])


def test_the_bins_add_up_to_the_recording() -> None:
    binned = made()
    assert binned is not None
    whole = waits_result(analysis(TEXT, cpu_sample_every=1), recording=Path("run"), report=None)
    (lock,) = whole.locks
    key = ("lock", lock.address, lock.kind)
    assert total(binned, binned.time(*key)) == pytest.approx(lock.wait_ns / US, abs=BINS)
    assert total(binned, binned.number(*key)) == lock.waits == 2
    (cause, *_) = whole.causes
    series = binned.time("cause", cause.kind, cause.name)
    assert total(binned, series) == pytest.approx(cause.wait_ns / US, abs=BINS)
    for thread in whole.threads:
        series = binned.time("thread", thread.pid, thread.tid)
        assert total(binned, series) == pytest.approx(thread.wall_ns / US, abs=BINS)


def test_a_value_that_is_in_no_bin_has_an_empty_series() -> None:
    binned = made()
    assert binned is not None
    assert binned.series[binned.time("lock", "0x1", "mutex")] == []


def test_the_number_of_series_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.waits.binned.MAX_SERIES", 1)
    binned = made()
    assert binned is not None
    assert (binned.time("a"), binned.time("b"), binned.time("a")) == (0, -1, 0)


def test_random_windows_and_large_recordings_have_no_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(limited_from_ns=100) is None
    monkeypatch.setattr("harness.waits.binned.MAX_INTERVALS", 1)
    assert made() is None
