from harness.export.metrics.buckets import exported_rows
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from harness.export.metrics.prometheus import prometheus_text
from tests.harness.export.metrics.parsed import values_of

WORK = MetricFamily("work_seconds", "Work \\ of a day.", unit="s")
TIMES = MetricFamily("time_seconds", "Times.", MetricKind.HISTOGRAM, "s")


def test_the_parsers_of_prometheus_read_names_labels_and_buckets() -> None:
    table = MetricTable()
    hostile = 'f<int, "x\\n">\\'
    table.add(WORK, 1.5, function=hostile)
    histogram = exported_rows([(1000, 1000, 2), (3000, 3001, 5)])
    assert histogram is not None
    table.add_histogram(TIMES, histogram.scaled(1e-9), device="vda")
    values = values_of(table)
    assert values["stallscope_work_seconds", (("function", hostile),)] == 1.5
    place = ("device", "vda")
    assert values["stallscope_time_seconds_count", (place,)] == 7
    assert values["stallscope_time_seconds_bucket", (place, ("le", "+Inf"))] == 7
    buckets = {
        dict(labels)["le"]: value for (name, labels), value in values.items() if "bucket" in name
    }
    assert sorted(set(buckets.values())) == [0, 2, 7]
    assert buckets[repr(1023 * 1e-9)] == 2


def test_the_type_and_the_help_stand_before_the_points_of_a_family() -> None:
    table = MetricTable()
    table.add(WORK, 1)
    assert prometheus_text(table) == (
        "# HELP stallscope_work_seconds Work \\\\ of a day.\n"
        "# TYPE stallscope_work_seconds gauge\n"
        "stallscope_work_seconds 1.0\n"
        "# EOF\n"
    )
