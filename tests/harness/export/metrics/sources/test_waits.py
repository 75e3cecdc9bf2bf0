from harness.export.metrics.metric import MetricTable
from harness.export.metrics.sources.waits import add_requests_result, add_waits, add_waits_result
from harness.waits.result import GroupWaits, ThreadWaits
from stallscope.recordings import open_recording
from tests.harness.export.metrics.parsed import values_of
from tests.harness.requests.request_results import result_of
from tests.harness.waits.waits_results import HOSTILE, MS, lock, waits_result

STATES = {"user": 30 * MS, "lock": 70 * MS, "disk": 0}


def thread(tid: int) -> ThreadWaits:
    return ThreadWaits(
        tid=tid, name=f"w{tid}", states_ns=STATES, pid=1, process="p", group="w", wall_ns=100 * MS,
        run_ns=None, queue_ns=None,
    )  # fmt: skip


def test_wall_time_is_in_seconds_by_state_and_group() -> None:
    table = MetricTable()
    group = GroupWaits(process=HOSTILE, name="w", threads=2, wall_ns=200 * MS, states_ns=STATES)
    result = waits_result(
        threads=(thread(1), thread(2)),
        groups=(group,),
        locks=(lock(), lock(address="0x6000")),
        unattributed_share=None,
    )
    add_waits_result(table, result, 20)
    values = values_of(table)
    assert values["stallscope_waits_wall_seconds", ()] == 2.0
    assert values["stallscope_waits_state_seconds", (("state", "lock"),)] == 0.14
    assert values["stallscope_waits_state_seconds", (("state", "disk"),)] == 0
    assert ("stallscope_waits_unattributed_ratio", ()) not in values
    insert = (("function", "insert"), ("kind", "mutex"))
    assert values["stallscope_lock_wait_seconds", insert] == 0.04
    assert values["stallscope_lock_waits", insert] == 4
    assert values["stallscope_wait_cause_seconds", (("kind", "disk"), ("name", "disk"))] == 0.9
    assert [labels for name, labels in values if name == "stallscope_waits_group_state_seconds"]


def test_more_rows_than_the_limit_are_counted() -> None:
    table = MetricTable()
    add_waits_result(table, waits_result(), 0)
    assert table.notes == ["locks left out by --top: 1", "causes left out by --top: 1"]


def test_a_capture_with_switches_has_states() -> None:
    table = MetricTable()
    add_waits(table, open_recording_of_switches(), 20)
    assert [name for name, _ in values_of(table) if name == "stallscope_waits_state_seconds"]


def open_recording_of_switches():
    from pathlib import Path

    return open_recording(Path("tests/captures/switches.perf"))


def test_latency_and_states_of_requests_are_gauges_in_seconds() -> None:
    table, result = MetricTable(), result_of("lock")
    add_requests_result(table, result)
    values = values_of(table)
    assert values["stallscope_requests", ()] == result.requests
    last = result.quantiles[-1]
    place = (("quantile", str(last.share)),)
    assert values["stallscope_request_latency_quantile_seconds", place] == last.latency_ns / 1e9
    state = (("requests", "slow"), ("state", result.states[0].state))
    assert values["stallscope_request_state_mean_seconds", state] > 0
