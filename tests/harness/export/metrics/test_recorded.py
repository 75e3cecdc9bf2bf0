from harness.export.metrics.buckets import exported_rows
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from harness.export.metrics.recorded import RecordedMetrics, distinct, merged
from tests.harness.export.metrics.parsed import values_of

WORK = MetricFamily("work_seconds", "Work.", unit="s")
TIMES = MetricFamily("time_seconds", "Times.", MetricKind.HISTOGRAM, "s")
INFO = MetricFamily("recording_info", "The recording; the value is 1.", MetricKind.GAUGE)


def part(host: str, recording: str, value: float) -> RecordedMetrics:
    table = MetricTable()
    table.add(WORK, value, function="f")
    table.add(INFO, 1, recording="other", host="other", kind="load")
    table.add_histogram(TIMES, exported_rows([(1000, 1000, int(value))]))
    table.note_left_out("functions", 3)
    return RecordedMetrics(table, host, recording, f"/runs/{host}/{recording}/{value}", None)


def test_a_family_has_the_points_of_all_recordings_with_their_origin() -> None:
    table = merged([part("a", "x", 1), part("b", "x", 2)])
    assert len(table.values) == 2
    values = values_of(table)
    for host, value in (("a", 1), ("b", 2)):
        origin = (("host", host), ("recording", "x"))
        assert values["stallscope_work_seconds", (("function", "f"), *origin)] == value
        assert values["stallscope_recording_info", (origin[0], ("kind", "load"), origin[1])] == 1
        assert values["stallscope_time_seconds_count", origin] == value
    assert table.notes == [
        "/runs/a/x/1: functions left out by --top: 3",
        "/runs/b/x/2: functions left out by --top: 3",
    ]


def test_families_of_one_name_are_one_family() -> None:
    other = MetricTable()
    other.add(MetricFamily("work_seconds", "Other words.", unit="s"), 3)
    parts = [part("a", "x", 1), RecordedMetrics(other, "b", "y", "/y", None)]
    assert len(values_of(merged(parts))) == len(values_of(merged(parts[:1]))) + 1


def test_recordings_of_one_host_and_name_are_distinguished_by_their_paths() -> None:
    parts = distinct([part("a", "x", 1), part("a", "x", 2), part("b", "x", 3)])
    assert [part.recording for part in parts] == ["/runs/a/x/1", "/runs/a/x/2", "x"]
