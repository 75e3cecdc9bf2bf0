"""Rows to compare."""

import numpy as np

from harness.diff.rows import RowKey, RowSums, aligned, block_of


def _rows(names: str) -> RowSums:
    parts = np.arange(2.0 * len(names)).reshape(-1, 2)
    keys = tuple(RowKey(name) for name in names)
    return RowSums(keys, parts, parts + 1, np.array([4.0, 4.0]), 8, "frame", 2.0, 0.5)


def test_rows_of_one_side_only_are_zero_on_the_other() -> None:
    keys, a, b = aligned(_rows("xy"), _rows("yz"), totals=False)
    assert [key.name for key in keys] == ["x", "y", "z"]
    assert a.parts.tolist() == [[0, 1], [2, 3], [0, 0]]
    assert b.parts.tolist() == [[0, 0], [0, 1], [2, 3]]
    assert aligned(_rows("x"), _rows("x"), totals=True)[1].parts.tolist() == [[1, 2]]


def test_scaled_rows_are_seconds_per_unit() -> None:
    rows = _rows("x").scaled(10.0)
    assert rows.parts.tolist() == [[0, 0.5]]
    assert rows.whole.tolist() == [5, 5]
    assert rows.samples is None


def test_blocks_are_equally_long() -> None:
    assert block_of(np.array([10, 14, 15, 19]), blocks=2).tolist() == [0, 0, 1, 1]
    assert block_of(np.array([], dtype=np.int64)).size == 0
    assert block_of(np.array([7, 7])).tolist() == [0, 0]


def test_times_over_years_stay_within_the_blocks() -> None:
    assert block_of(np.array([0, 2**60]), blocks=24).tolist() == [0, 23]


def test_a_slot_that_one_side_did_not_measure_is_left_out() -> None:
    def slots(*names: str) -> RowSums:
        keys = tuple(RowKey(name) for name in names)
        return RowSums(keys, np.ones((len(names), 4)), None, np.ones(4), None, "slot")

    keys, a, b = aligned(slots("frontend", "backend"), slots("backend"), totals=False)
    assert [key.name for key in keys] == ["backend"]
    assert a.parts.shape == b.parts.shape == (1, 4)
