"""The map of samples over time."""

import numpy as np

from harness.page.subsecond_map import (
    MOST_COLUMNS,
    ROWS,
    render_subsecond_map,
    subsecond_map,
)

SECOND = 1_000_000_000


def test_a_cell_counts_the_samples_of_its_second_and_offset() -> None:
    last_ns = 2 * SECOND + 990_000_000
    times = np.array([0, 10_000_000]), np.array([SECOND // 2, last_ns])
    shown = subsecond_map(times, last_ns)
    assert shown.counts.shape == (3, ROWS)
    assert shown.counts[0, 0] == 2
    assert shown.counts[0, ROWS // 2] == 1
    assert shown.counts[2, ROWS - 1] == 1


def test_long_recordings_have_wider_columns() -> None:
    shown = subsecond_map([np.array([0, 1800 * SECOND])], 1800 * SECOND)
    assert shown.column_s == 8
    assert len(shown.counts) <= MOST_COLUMNS
    assert shown.counts.sum() == 2


def test_the_picture_has_a_path_per_level_and_outlines_periods() -> None:
    times = np.sort(np.random.default_rng(1).integers(0, 60 * SECOND, 5000))
    markup = render_subsecond_map(subsecond_map([times], int(times[-1]), [(10.0, 15.0)]))
    assert markup.count("<path") <= 8
    assert markup.count("heat-mark") == 1
    assert len(markup) < 200_000
