"""Metrics as OTLP: the MetricsData message of opentelemetry-proto.

Its bytes are also those of an ExportMetricsServiceRequest, which an OTLP/HTTP receiver accepts at
/v1/metrics. Sums and histograms have the temporality delta: they are totals from begin to end.
"""

from typing import TYPE_CHECKING, Any

from harness.export.metrics.metric import Labels, MetricFamily, MetricKind, MetricTable
from harness.export.metrics.prometheus import PREFIX
from stallscope._native import VERSION

if TYPE_CHECKING:
    from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData


def otlp_bytes(table: MetricTable, *, host: str, start_ns: int, end_ns: int) -> bytes:
    """Return the metrics of a period, in nanoseconds since 1970, as a message."""
    return _message(table, host, (start_ns, end_ns)).SerializeToString(deterministic=True)


def _message(table: MetricTable, host: str, period_ns: tuple[int, int]) -> "MetricsData":
    from opentelemetry.proto.metrics.v1 import metrics_pb2  # noqa: PLC0415 - start-up stays light

    message = metrics_pb2.MetricsData()
    resource = message.resource_metrics.add()
    attributes: Labels = (("service.name", "stallscope"), ("host.name", host))
    _set_attributes(resource.resource.attributes, tuple(row for row in attributes if row[1]))
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
    return message


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
