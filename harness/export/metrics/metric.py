"""Metrics of a recording: families of points with labels, as Prometheus and OTLP know them.

A recording is a finished period. A sum is the total within it, not a counter that grows from one
recording to the next.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from harness.export.metrics.buckets import ExportedHistogram
from stallscope.printable import printable

MAX_LABEL_CHARACTERS = 300
Labels = tuple[tuple[str, str], ...]


class MetricKind(StrEnum):
    """The meaning of a metric's points."""

    GAUGE = "gauge"  # a state, a share or a rate
    SUM = "sum"  # a total within the recording
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """A metric: its name without the prefix "stallscope_", and its unit as in UCUM."""

    name: str
    text: str
    kind: MetricKind = MetricKind.SUM
    unit: str = ""  # "s", "By", "1" (a share) or a count of the named things


@dataclass(slots=True)
class MetricTable:
    """The points of a recording by family and labels, in the order in which they were added."""

    values: dict[MetricFamily, dict[Labels, float]] = field(default_factory=dict)
    histograms: dict[MetricFamily, dict[Labels, ExportedHistogram]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what is left out

    def add(self, family: MetricFamily, value: float | None, **labels: str | int) -> None:
        """Add a point; None, NaN and infinity are left out.

        Points with equal labels are added if they are sums; of gauges the larger one is kept.
        """
        if value is None or not math.isfinite(value):
            return
        points = self.values.setdefault(family, {})
        key = _labels(labels)
        previous = points.get(key)
        if previous is not None:
            value = previous + value if family.kind == MetricKind.SUM else max(previous, value)
        points[key] = value

    def add_histogram(
        self, family: MetricFamily, histogram: ExportedHistogram | None, **labels: str | int
    ) -> None:
        """Add a histogram; None is left out. ValueError if the labels are in use."""
        if histogram is None:
            return
        points = self.histograms.setdefault(family, {})
        key = _labels(labels)
        if key in points:
            raise ValueError(f"{family.name} has two histograms with the labels {key}")
        points[key] = histogram

    def note_left_out(self, what: str, count: int) -> None:
        """Note how many rows beyond --top are left out."""
        if count > 0:
            self.notes.append(f"{what} left out by --top: {count:,}")

    @property
    def is_empty(self) -> bool:
        """Return whether there is no point."""
        return not self.values and not self.histograms


def _labels(labels: Mapping[str, str | int]) -> Labels:
    """Return the labels with visible characters only; empty ones are left out."""
    rows = ((name.rstrip("_"), label_text(str(value))) for name, value in labels.items())
    return tuple((name, text) for name, text in rows if text)


def label_text(value: str) -> str:
    """Return the value of a label: visible characters, up to a limit."""
    text = printable(value)
    if len(text) <= MAX_LABEL_CHARACTERS:
        return text
    return text[: MAX_LABEL_CHARACTERS - 1] + "\u2026"
