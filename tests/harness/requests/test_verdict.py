from harness.requests.result import RequestKind
from harness.requests.verdict import kind_sentences, quantile_name
from tests.harness.requests.request_results import result_of


def test_the_cause_is_named_with_its_time_and_place() -> None:
    (sentence,) = result_of("disk").verdict
    assert sentence.startswith("requests above p99 take 8.0")
    assert "disk write in fsync < flush_log < handle" in sentence


def test_more_of_the_same_is_no_cause() -> None:
    (sentence,) = result_of("longer").verdict
    assert "no state stands out" in sentence


def test_quantiles_have_short_names() -> None:
    assert quantile_name(0.99) == "p99"
    assert quantile_name(0.999) == "p99.9"


def kind(name: str, requests: int, slow: int) -> RequestKind:
    return RequestKind(name=name, requests=requests, slow_requests=slow, p50_ns=1, p99_ns=None)


def test_the_name_of_most_slow_requests_is_printed_if_few_others_have_it() -> None:
    kinds = (kind("get", 900, 2), kind("set", 100, 48))
    assert kind_sentences(kinds, 50) == (
        "48 of the 50 slow requests are set, as are 10.0 % of all",
    )
    assert kind_sentences((kind("get", 900, 45), kind("set", 100, 5)), 50) == ()
    assert kind_sentences((kind("get", 900, 50),), 50) == ()
