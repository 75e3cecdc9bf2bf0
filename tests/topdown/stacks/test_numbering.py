"""Numbers for the different values of an array."""

import numpy as np
import pytest

from topdown.stacks import blocks
from topdown.stacks.numbering import numbered, sums_by_key


@pytest.mark.parametrize("limit", [50, 1 << 40])
@pytest.mark.parametrize("count", [0, 1, 300])
def test_numbers_are_those_of_np_unique(limit: int, count: int) -> None:
    values = np.random.default_rng(1).integers(0, 50, count)
    different, index = numbered(values, limit)
    expected, expected_index = np.unique(values, return_inverse=True)
    assert different.tolist() == expected.tolist()
    assert index.tolist() == expected_index.tolist()


def test_values_that_are_their_own_numbers_are_not_copied() -> None:
    values = np.array([2, 0, 1, 2], np.uint32)
    different, index = numbered(values, 3)
    assert different.tolist() == [0, 1, 2]
    assert index is values


@pytest.mark.parametrize("limit", [20, 1 << 40])
@pytest.mark.parametrize("count", [0, 5, 300])
def test_sums_by_key_are_the_same_in_blocks(
    limit: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(2)
    keys, values = random.integers(0, 20, count), random.integers(0, 1 << 60, count)
    expected = {
        key: (int((keys == key).sum()), sum(values[keys == key].tolist()) % (1 << 64))
        for key in sorted(set(keys.tolist()))
    }
    monkeypatch.setattr(blocks, "BLOCK", 64)
    key, samples, sums = sums_by_key(lambda block: keys[block], values, limit)
    assert key.tolist() == list(expected)
    assert samples.tolist() == [number for number, _ in expected.values()]
    assert (sums.astype(np.uint64)).tolist() == [total for _, total in expected.values()]
