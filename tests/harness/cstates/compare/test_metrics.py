"""Names and texts of metrics at several numbers of connections."""

from harness.cstates.compare.metrics import (
    P50,
    SERVER_CPU,
    base_and_connections,
    description,
    metric_at,
    order_of,
)


def test_a_metric_at_a_number_of_connections_has_a_name_and_a_text() -> None:
    assert base_and_connections(metric_at(P50, 16)) == (P50, 16)
    assert base_and_connections(P50) == (P50, None)
    assert description(metric_at(P50, 1)) == "latency p50 at 1 connection"
    assert description(metric_at(P50, 16)) == "latency p50 at 16 connections"
    assert description(SERVER_CPU) == "CPU time of the server"


def test_metrics_are_ordered_by_connections_and_otherwise_as_measured() -> None:
    names = [metric_at(name, count) for count in (8, 1) for name in (SERVER_CPU, P50)]
    assert sorted(names, key=order_of) == [*names[2:], *names[:2]]
