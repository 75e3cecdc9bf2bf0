"""The panel "Latency": every run keeps its colour, and a run without values has no line."""

import re

import numpy as np

from harness.page.latency_panel import Series, latency_panel
from stallscope.histograms import Geometry, Histogram, IntervalLog, LogInterval

GEOMETRY = Geometry(1, 3)


def log_of(*values_ns: int) -> IntervalLog:
    """A log of two intervals of a second; both have all the values."""
    counts = np.bincount(GEOMETRY.places(np.array(values_ns, np.int64)))
    histogram = Histogram(GEOMETRY, counts.astype(np.int64))
    return IntervalLog(tuple(LogInterval(float(at), 1.0, histogram) for at in range(2)))


def series_classes(markup: str) -> list[str]:
    """The classes of drawn elements, without the swatches of the legend."""
    return re.findall(r'class="plot-(?:bar|line) (series-\d)"', markup)


def test_runs_keep_the_colour_that_the_legend_gives_them() -> None:
    series = [Series("idle", IntervalLog(())), Series("busy", log_of(1000, 2000, 3000))]
    markup = latency_panel(series, title="Latency", hint="").markup
    assert set(series_classes(markup)) == {"series-1"}
    legend = re.search(r"<ul.*?</ul>", markup, re.DOTALL)
    assert legend is not None
    assert re.search(r"series-1\"[^/]*/></svg>busy", legend[0])
    assert "n/a" in markup  # the percentiles of the idle run


def test_the_rate_plot_has_only_series_that_count_requests() -> None:
    series = [
        Series("on the device", log_of(1000), counts_requests=False),
        Series("request", log_of(5000)),
    ]
    figures = latency_panel(series, title="Latency", hint="").markup.split("<figure>")[1:]
    assert len(figures) == 3
    assert series_classes(figures[-1]) == ["series-1"]


def test_names_are_escaped() -> None:
    markup = latency_panel([Series("<b>\u202e", log_of(1))], title="Latency", hint="").markup
    assert "<b>" not in markup.replace("<body>", "")
    assert "\u202e" not in markup


def test_an_empty_series_is_not_drawn() -> None:
    markup = latency_panel([Series("idle", IntervalLog(()))], title="Latency", hint="").markup
    assert series_classes(markup) == []
    assert "<figure>" not in markup


def test_p99_over_time_has_a_line_for_every_series() -> None:
    series = [Series("unstaged", log_of(1000), False), Series("staged", log_of(5000), False)]
    markup = latency_panel(series, title="Latency", hint="", over_time=True).markup
    figure = markup.split("<figure>")[-1]
    assert "p99 of every interval over time" in figure
    assert series_classes(figure) == ["series-0", "series-1"]
    assert "over time" not in latency_panel(series, title="Latency", hint="").markup
