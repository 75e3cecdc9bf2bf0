"""Tests of `topdown/stacks/blocks.py`: blocks give what whole arrays give."""

import numpy as np
import pytest

from topdown.stacks import blocks as in_blocks
from topdown.stacks.blocks import blocks, counted, gathered, selected


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_blocks, "BLOCK", 7)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 50])
def test_blocks_cover_a_range_once(count: int) -> None:
    covered = [row for block in blocks(count) for row in range(count)[block]]
    assert covered == list(range(count))


@pytest.mark.parametrize("count", [0, 6, 7, 40])
def test_values_and_counts_are_those_of_whole_arrays(count: int) -> None:
    random = np.random.default_rng(count)
    table, indices = random.normal(size=20), random.integers(0, 20, count).astype(np.uint32)
    assert gathered(table, indices).tolist() == table[indices].tolist()
    assert counted(indices, 20).tolist() == np.bincount(indices, minlength=20).tolist()


def test_all_rows_are_not_copied() -> None:
    column = np.arange(30)
    assert selected(column, np.arange(30)) is column
    assert selected(column, np.array([3, 20])).tolist() == [3, 20]
