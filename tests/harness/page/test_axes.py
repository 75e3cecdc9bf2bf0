"""What several pictures draw into a pair of axes."""

import numpy as np

from harness.page.axes import (
    draw_percentiles,
    finish_axes,
    look,
    mark_not_measured,
    show_counts,
    show_percentiles,
)
from harness.page.pictures import picture_bytes
from stallscope.histograms import Geometry, Histogram


def test_the_first_series_differ_in_colour_dash_and_mark() -> None:
    assert len({look(number) for number in range(12)}) == 12


def test_percentiles_are_those_of_the_histogram() -> None:
    counts = np.zeros(1001, dtype=np.int64)
    counts[[10, 1000]] = (90, 10)

    def draw(figure) -> None:
        axes = figure.subplots()
        draw_percentiles(axes, Histogram(Geometry(1, 3), counts), "kv", number=0, scale=0.5)
        show_percentiles(axes)
        (line,) = axes.lines
        assert set(line.get_ydata()) == {5.0, 500.0}

    assert b"99.999" in picture_bytes(draw, "svg", (3, 2))


def test_counts_are_the_ticks_of_their_axis() -> None:
    def draw(figure) -> None:
        axes = figure.subplots()
        axes.plot([1, 12], [1, 2], label="twelve")
        show_counts(axes, [1, 12])
        finish_axes(axes)

    assert b"12" in picture_bytes(draw, "svg", (3, 2))


def test_empty_axes_contain_the_reason() -> None:
    picture = picture_bytes(
        lambda figure: mark_not_measured(figure.subplots(), "one run"), "svg", (3, 2)
    )
    assert b"one run" in picture
