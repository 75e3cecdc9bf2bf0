import numpy as np

from topdown.requests.latency_classes import latency_classes, quantile_ns, requests_needed


def test_slow_requests_are_above_the_99th_percentile() -> None:
    classes = latency_classes(np.arange(1, 1001))
    assert classes.slow.sum() == 10
    assert classes.slow_above_ns == 990
    assert classes.median.sum() == 200
    assert np.flatnonzero(classes.median)[[0, -1]].tolist() == [400, 599]
    assert classes.enough


def test_few_requests_are_not_enough() -> None:
    assert not latency_classes(np.arange(1, 501)).enough
    assert requests_needed() == 1000


def test_without_requests_there_are_no_classes() -> None:
    classes = latency_classes(np.zeros(0, np.int64))
    assert classes.slow_above_ns == 0
    assert not classes.enough


def test_quantiles_that_no_request_exceeds_are_left_out() -> None:
    assert quantile_ns(np.arange(1, 101)) == ((0.5, 50), (0.9, 90), (0.99, 99))
    assert quantile_ns(np.zeros(0, np.int64)) == ()
