from msgspec.structs import replace

from harness.continuous.result import DroppedSegments, SentProfiles
from harness.export.metrics.metric import MetricTable
from harness.export.metrics.sources.continuous import add_continuous
from tests.harness.continuous.test_text import COST, RESULT
from tests.harness.export.metrics.parsed import values_of

SENT = SentProfiles(
    url="http://h:1/x", segments=7, bytes=1, retries=3, rejected=0,
    dropped=(DroppedSegments(reason="the queue was full", segments=2),),
    last_dropped=None, last_failure=None,
)  # fmt: skip


def test_cost_segments_and_deliveries_of_the_recorder_are_metrics() -> None:
    table = MetricTable()
    add_continuous(table, replace(RESULT, sent=SENT, removed=4))
    values = values_of(table)
    assert values["stallscope_recorder_running", ()] == 0
    assert values["stallscope_recorder_cpu_seconds", (("source", "measured"),)] == 3.2
    assert values["stallscope_recorder_cpu_seconds", (("source", "modelled"),)] == 1.66
    assert values["stallscope_recorder_segments_left_out", (("reason", "removed"),)] == 4
    dropped = (("reason", "the queue was full"),)
    assert values["stallscope_recorder_dropped_segments", dropped] == 2


def test_memory_that_was_not_read_yet_is_left_out() -> None:
    table = MetricTable()
    cost = replace(COST, memory_bytes=0)
    add_continuous(table, replace(RESULT, end="running", frequency_hz=None, cost=cost))
    names = {name for name, _ in values_of(table)}
    assert "stallscope_recorder_memory_bytes" not in names
    assert "stallscope_recorder_frequency_hertz" not in names
    assert "stallscope_recorder_sent_segments" not in names
