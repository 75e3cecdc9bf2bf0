import pytest

from harness.requests.result import RequestsResult
from stallscope.documents import decode, encode
from tests.harness.requests.request_results import result_of


def test_the_document_has_the_classes_and_the_states_in_order() -> None:
    result = result_of("lock")
    assert result.requests == 1200
    assert result.slow_requests == 12
    assert result.median_requests == 240
    assert result.latency_ns is not None
    assert result.latency_ns.slow - result.latency_ns.median == pytest.approx(8e6, rel=0.05)
    assert result.states[0].state == "lock"
    assert result.locks[0].address == "0x5000"
    assert "8.00 ms lock in update" in result.verdict[0]


def test_the_states_of_a_class_add_up_to_its_latency() -> None:
    result = result_of("disk")
    assert result.latency_ns is not None
    assert sum(row.time_ns.slow for row in result.states) == pytest.approx(result.latency_ns.slow)
    assert sum(row.time_ns.median for row in result.states) == pytest.approx(
        result.latency_ns.median
    )


def test_the_document_is_decoded_again() -> None:
    result = result_of("compute")
    assert decode(encode(result).encode(), RequestsResult, "result") == result


def test_few_requests_have_no_verdict() -> None:
    result = result_of("disk", count=300)
    assert "300 requests, of which 3 are above p99, are too few; 1,000" in result.verdict[0]


def test_no_requests_have_no_latency() -> None:
    result = result_of("disk", count=0)
    assert result.latency_ns is None
    assert result.states == ()
