"""Metrics as their real consumers read them."""

from harness.export.metrics.metric import MetricTable
from harness.export.metrics.prometheus import prometheus_text

Value = tuple[str, tuple[tuple[str, str], ...]]


def values_of_text(text: str) -> dict[Value, float]:
    """Return the samples of a text by name and sorted labels. Both of Prometheus' parsers must agree."""
    from prometheus_client.openmetrics.parser import (
        text_string_to_metric_families as parse_openmetrics,
    )
    from prometheus_client.parser import text_string_to_metric_families as parse_text

    classic, modern = (
        {
            (sample.name, tuple(sorted(sample.labels.items()))): float(sample.value)
            for family in parse(text)
            for sample in family.samples
        }
        for parse in (parse_text, parse_openmetrics)
    )
    assert classic == modern
    assert len(classic) == sum(not line.startswith("#") for line in text.splitlines())
    return classic


def values_of(table: MetricTable) -> dict[Value, float]:
    return values_of_text(prometheus_text(table))
