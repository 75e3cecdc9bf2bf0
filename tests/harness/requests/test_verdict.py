from harness.requests.verdict import quantile_name
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
