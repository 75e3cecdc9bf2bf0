from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2

from harness.export.metrics.buckets import exported_rows
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from harness.export.metrics.otlp import otlp_bytes
from harness.export.metrics.recorded import RecordedMetrics

WORK = MetricFamily("work_seconds", "Work.", unit="s")
SHARE = MetricFamily("share", "Share.", MetricKind.GAUGE)
TIMES = MetricFamily("time_seconds", "Times.", MetricKind.HISTOGRAM, "s")


def content() -> bytes:
    table = MetricTable()
    table.add(WORK, 1.5, function="f")
    table.add(SHARE, 0.25)
    table.add_histogram(TIMES, exported_rows([(1000, 1000, 2), (3000, 3001, 5)]))
    return otlp_bytes([RecordedMetrics(table, "box", "run", "/run", (10, 30))])


def test_the_schema_of_opentelemetry_reads_sums_gauges_and_histograms() -> None:
    (resource,) = metrics_pb2.MetricsData.FromString(content()).resource_metrics
    attributes = {row.key: row.value.string_value for row in resource.resource.attributes}
    assert attributes == {"service.name": "stallscope", "host.name": "box"}
    work, share, times = resource.scope_metrics[0].metrics
    assert (work.name, work.unit) == ("stallscope_work_seconds", "s")
    assert work.sum.is_monotonic
    assert work.sum.aggregation_temporality == metrics_pb2.AGGREGATION_TEMPORALITY_DELTA
    (point,) = work.sum.data_points
    assert (point.as_double, point.start_time_unix_nano, point.time_unix_nano) == (1.5, 10, 30)
    assert [(row.key, row.value.string_value) for row in point.attributes] == [("function", "f")]
    assert share.gauge.data_points[0].as_double == 0.25
    (histogram,) = times.histogram.data_points
    assert (histogram.count, histogram.sum, histogram.min) == (7, 2000 + 5 * 3000.5, 1000)
    assert len(histogram.bucket_counts) == len(histogram.explicit_bounds) + 1
    assert sum(histogram.bucket_counts) == 7


def test_the_bytes_are_a_request_to_a_receiver() -> None:
    request = metrics_service_pb2.ExportMetricsServiceRequest.FromString(content())
    assert len(request.resource_metrics[0].scope_metrics[0].metrics) == 3
