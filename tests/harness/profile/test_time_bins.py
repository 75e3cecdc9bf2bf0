"""Weights of a profile by time."""

import numpy as np
import pytest
from msgspec.structs import replace

from harness.profile import time_bins as module
from harness.profile.flame_payload import encode
from harness.profile.time_bins import time_bins
from tests.topdown.stacks.test_bursts import profile_with
from topdown.stacks.flame.layout import flame_tree
from topdown.stacks.profile import Profile


def with_times(seconds: float) -> Profile:
    profile, times = profile_with((3, 4), seconds=seconds)
    profile = replace(profile, times=times)
    return replace(profile, weight_value=profile.weight_samples.copy())


def test_bins_split_the_weights_of_a_profile() -> None:
    profile = with_times(10)
    bins = time_bins(profile)
    assert bins is not None
    assert (bins.count, bins.bin_ns) == (240, 1_000_000_000 // 24)
    samples = np.zeros(len(profile.weight_samples), np.int64)
    np.add.at(samples, bins.row, bins.samples)
    assert samples.tolist() == profile.weight_samples.tolist()
    assert bins.value.tolist() == bins.samples.tolist()
    culprit = bins.bin[bins.row == 3] * bins.bin_ns / 1e9
    assert 2.9 < culprit.min() < culprit.max() < 4.0


def test_long_recordings_have_a_bin_per_column() -> None:
    bins = time_bins(with_times(1000))
    assert bins is not None
    assert bins.bin_ns == 5_000_000_000
    assert bins.count == 200


def test_without_times_or_with_too_many_rows_there_are_no_bins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert time_bins(replace(with_times(10), times=None)) is None
    monkeypatch.setattr(module, "MAX_ROWS", 5)
    assert time_bins(with_times(10)) is None


def test_the_page_has_the_bins_if_samples_have_times() -> None:
    profile = with_times(10)
    tree = flame_tree(profile)
    without = encode(replace(profile, times=None), tree)
    assert len(encode(profile, tree)["data"]) > len(without["data"])
