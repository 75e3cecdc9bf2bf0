"""Metrics as OTLP: the MetricsData message of opentelemetry-proto.

Its bytes are also those of an ExportMetricsServiceRequest, which an OTLP/HTTP receiver accepts at
/v1/metrics. Sums and histograms have the temporality delta: they are totals from begin to end.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.export.metrics.metric import (
    Labels,
    MetricFamily,
    MetricKind,
    MetricTable,
    label_text,
)
from harness.export.metrics.prometheus import PREFIX
from harness.export.metrics.recorded import RecordedMetrics
from stallscope._native import VERSION

if TYPE_CHECKING:
    from opentelemetry.proto.metrics.v1.metrics_pb2 import ResourceMetrics


def otlp_bytes(parts: Sequence[RecordedMetrics]) -> bytes:
    """Return the metrics of recordings whose times are known as a message, a resource for each.

    Several recordings have their names as ``service.instance.id``.
    """
    from opentelemetry.proto.metrics.v1 import metrics_pb2  # noqa: PLC0415 - start-up stays light

    message = metrics_pb2.MetricsData()
    for part in parts:
        assert part.period_ns is not None
        attributes: Labels = (("service.name", "stallscope"), ("host.name", part.host))
        if len(parts) > 1:
            attributes += (("service.instance.id", part.recording),)
        resource = message.resource_metrics.add()
        rows = tuple((name, label_text(text)) for name, text in attributes if text)
        _set_attributes(resource.resource.attributes, rows)
        _add_metrics(resource, part.table, part.period_ns)
    return message.SerializeToString(deterministic=True)


def _add_metrics(
    resource: "ResourceMetrics", table: MetricTable, period_ns: tuple[int, int]
) -> None:
    from opentelemetry.proto.metrics.v1 import metrics_pb2  # noqa: PLC0415 - start-up stays light

    scope = resource.scope_metrics.add()
    scope.scope.name, scope.scope.version = "stallscope", VERSION
    for family, points in table.values.items():
        metric = _metric(scope, family)
        rows = metric.gauge
        if family.kind == MetricKind.SUM:
            rows = metric.sum
            rows.aggregation_temporality = metrics_pb2.AGGREGATION_TEMPORALITY_DELTA
            rows.is_monotonic = True
        for labels, value in points.items():
            point = rows.data_points.add(as_double=value)
            _set_place(point, labels, period_ns)
    for family, histograms in table.histograms.items():
        metric = _metric(scope, family)
        metric.histogram.aggregation_temporality = metrics_pb2.AGGREGATION_TEMPORALITY_DELTA
        for labels, histogram in histograms.items():
            point = metric.histogram.data_points.add(
                count=histogram.count,
                sum=histogram.total,
                bucket_counts=histogram.counts,
                explicit_bounds=histogram.bounds,
                min=histogram.smallest,
                max=histogram.largest,
            )
            _set_place(point, labels, period_ns)


def _metric(scope: Any, family: MetricFamily) -> Any:  # noqa: ANN401 - messages have no types here
    return scope.metrics.add(
        name=PREFIX + family.name, description=family.text, unit=family.unit or "1"
    )


def _set_place(point: Any, labels: Labels, period_ns: tuple[int, int]) -> None:  # noqa: ANN401
    point.start_time_unix_nano, point.time_unix_nano = period_ns
    _set_attributes(point.attributes, labels)


def _set_attributes(rows: Any, labels: Labels) -> None:  # noqa: ANN401
    for name, text in labels:
        rows.add(key=name).value.string_value = text
