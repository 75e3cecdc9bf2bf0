"""The panel "Latency": each run keeps its colour, and one without values has no line."""

import re

import numpy as np

from harness.page.latency_panel import Series, latency_panel
from stallscope.histograms import Geometry, Histogram, Interval, IntervalLog

GEOMETRY = Geometry(1, 3)


def log_of(*values_ns: int) -> IntervalLog:
    """A log of two intervals of a second, each with all the values."""
    counts = np.bincount(GEOMETRY.places(np.array(values_ns, np.int64)))
    found = Histogram(GEOMETRY, counts.astype(np.int64))
    return IntervalLog(tuple(Interval(float(at), 1.0, found) for at in range(2)))


def looks(markup: str) -> list[str]:
    """The classes of what is drawn, swatches of the legend apart."""
    return re.findall(r'class="plot-(?:bar|line) (series-\d)"', markup)


def test_runs_keep_the_colour_that_the_legend_gives_them() -> None:
    series = [Series("idle", IntervalLog(())), Series("busy", log_of(1000, 2000, 3000))]
    markup = latency_panel(series, title="Latency", hint="")
    assert set(looks(markup)) == {"series-1"}
    legend = re.search(r"<ul.*?</ul>", markup)
    assert legend is not None
    assert re.search(r"series-1\"[^/]*/></svg>busy", legend[0])
    assert "n/a" in markup  # the idle one's percentiles


def test_the_rate_is_drawn_of_those_that_count_requests() -> None:
    series = [
        Series("on the device", log_of(1000), counts_requests=False),
        Series("asked", log_of(5000)),
    ]
    figures = latency_panel(series, title="Latency", hint="").split("<figure>")[1:]
    assert len(figures) == 3
    assert looks(figures[-1]) == ["series-1"]


def test_names_are_strangers() -> None:
    markup = latency_panel([Series("<b>\u202e", log_of(1))], title="Latency", hint="")
    assert "<b>" not in markup.replace("<body>", "")
    assert "\u202e" not in markup


def test_nothing_is_drawn_of_nothing() -> None:
    markup = latency_panel([Series("idle", IntervalLog(()))], title="Latency", hint="")
    assert looks(markup) == []
    assert "<figure>" not in markup
