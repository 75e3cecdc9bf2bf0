"""Numbers for the different values of an array."""

import numpy as np
import pytest

from topdown.stacks.numbering import numbered


@pytest.mark.parametrize("limit", [50, 1 << 40])
@pytest.mark.parametrize("count", [0, 1, 300])
def test_numbers_are_those_of_np_unique(limit: int, count: int) -> None:
    values = np.random.default_rng(1).integers(0, 50, count)
    different, index = numbered(values, limit)
    expected, expected_index = np.unique(values, return_inverse=True)
    assert different.tolist() == expected.tolist()
    assert index.tolist() == expected_index.tolist()
