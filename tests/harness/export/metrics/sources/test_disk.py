from pathlib import Path

from harness.export.metrics.metric import MetricTable
from harness.export.metrics.sources.disk import add_disk, add_queue
from harness.io.queue.result import QueueResult
from harness.io.watch.result import WatchResult
from stallscope.documents import read_document
from stallscope.recordings import open_recording
from tests.harness.export.metrics.parsed import values_of

RECORDINGS = Path("tests/recordings")


def test_requests_of_a_device_have_a_histogram_by_direction() -> None:
    table = MetricTable()
    add_disk(table, open_recording(RECORDINGS / "watch"), 1)
    values = values_of(table)
    result = read_document(RECORDINGS / "watch" / "watch.json", WatchResult)
    row = result.rows[0]
    place = (("device", row.device), ("direction", row.direction))
    assert values["stallscope_io_requests", place] == row.requests
    counted = sum(count for _, _, count in row.histogram)
    assert values["stallscope_io_device_seconds_count", place] == counted
    assert len([name for name, _ in values if name == "stallscope_io_process_requests"]) == 1
    assert table.notes


def test_values_of_a_curve_carry_their_source() -> None:
    table = MetricTable()
    add_disk(table, open_recording(RECORDINGS / "curve"), 20)
    sources = {dict(labels).get("source") for _, labels in values_of(table)}
    assert sources <= {"measured", "modelled"}
    assert sources


def test_a_queue_without_an_interval_has_no_activity() -> None:
    table = MetricTable()
    result = read_document(RECORDINGS / "queue" / "queue.json", QueueResult)
    add_queue(table, result)
    measured = [device for device in result.devices if device.over_interval is not None]
    assert table.is_empty == (not measured)
