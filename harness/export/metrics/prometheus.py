"""Metrics as Prometheus text, which is OpenMetrics text as well.

Sums are gauges: a counter would have to grow from one recording to the next. The text has no
timestamps, which node_exporter's textfile collector refuses; two gauges hold begin and end.
"""

from collections.abc import Iterator

from harness.export.metrics.buckets import ExportedHistogram
from harness.export.metrics.metric import Labels, MetricFamily, MetricTable

PREFIX = "stallscope_"


def prometheus_text(table: MetricTable) -> str:
    """Return the metrics as text of version 0.0.4."""
    lines: list[str] = []
    for family, points in table.values.items():
        lines += _head(family, "gauge")
        name = PREFIX + family.name
        lines += (
            f"{name}{_label_text(labels)} {_number(value)}" for labels, value in points.items()
        )
    for family, histograms in table.histograms.items():
        lines += _head(family, "histogram")
        for labels, histogram in histograms.items():
            lines += _histogram(PREFIX + family.name, labels, histogram)
    return "\n".join([*lines, "# EOF", ""])


def _head(family: MetricFamily, kind: str) -> Iterator[str]:
    name = PREFIX + family.name
    yield f"# HELP {name} {_escaped(family.text)}"
    yield f"# TYPE {name} {kind}"


def _histogram(name: str, labels: Labels, histogram: ExportedHistogram) -> Iterator[str]:
    below = 0
    for bound, count in zip(histogram.bounds, histogram.counts, strict=False):
        below += count
        yield f"{name}_bucket{_label_text((*labels, ('le', _number(bound))))} {below}"
    yield f"{name}_bucket{_label_text((*labels, ('le', '+Inf')))} {histogram.count}"
    yield f"{name}_sum{_label_text(labels)} {_number(histogram.total)}"
    yield f"{name}_count{_label_text(labels)} {histogram.count}"


def _label_text(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return repr(float(value))
