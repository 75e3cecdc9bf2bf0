"""Positions on axes, ticks, and the shapes of a plot."""

import re

import pytest

from harness.page.plot import (
    HEIGHT,
    WIDTH,
    Axis,
    Plot,
    count_text,
    decade_ticks,
    round_ticks,
)

LINEAR = Axis(0, 10, "s", ())
DECADES = Axis(1, 1000, "<us>", (), logarithmic=True)


@pytest.mark.parametrize(
    ("axis", "value", "expected"),
    [
        (LINEAR, 2.5, 0.25),
        (LINEAR, -1, 0),
        (LINEAR, 11, 1),
        (DECADES, 10, 1 / 3),
        (DECADES, 0, 0),
        (Axis(5, 5, "", ()), 5, 0.5),
    ],
)
def test_values_lie_on_the_axis(axis: Axis, value: float, expected: float) -> None:
    assert axis.place(value) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("high", "texts"),
    [
        (10, ["0", "2", "4", "6", "8", "10"]),
        (0.3, ["0", "0.1", "0.2", "0.3"]),
        (4_200_000, ["0", "1M", "2M", "3M", "4M"]),
        (0, ["0"]),
    ],
)
def test_ticks_are_round_numbers(high: float, texts: list[str]) -> None:
    assert [tick.text for tick in round_ticks(high)] == texts


def test_decades_outside_of_the_axis_have_no_tick() -> None:
    ticks = decade_ticks(5, 1000, {0: "1", 1: "10", 3: "1 ms"})
    assert [(tick.at, tick.text) for tick in ticks] == [(10, "10"), (1000, "1 ms")]


def test_counts_have_few_characters() -> None:
    assert [count_text(value) for value in (0.5, 999, 1234, 2.5e6)] == [
        "0.5",
        "999",
        "1.23k",
        "2.5M",
    ]


def test_shapes_stay_within_the_plot_and_texts_are_escaped() -> None:
    plot = Plot(LINEAR, DECADES, "a <b>")
    bars = plot.bars([(0, 1, 100), (1, 1, 100), (2, 3, 0)], "look0")
    assert [bar.width > 0 for bar in bars] == [True, True]  # a bar without height is left out
    markup = plot.drawn(plot.line([(-5, 1), (50, 10_000)], "look0"), *bars)
    assert "<b>" not in markup
    assert "<us>" not in markup
    (points,) = re.findall(r'points="([^"]*)"', markup)
    for pair in points.split():
        x, y = map(float, pair.split(","))
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
