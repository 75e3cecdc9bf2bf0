"""Invented loads at two rates with known causes."""

import json
from pathlib import Path

from harness.load.rates.measurement import RateReading, RatesMeasurement
from harness.load.rates.options import RatesOptions
from harness.workload.options import LoadOptions
from harness.workload.results import LoadResult
from stallscope.documents import decode
from tests.harness.workload.fake_programs import LOADED

LOW, HIGH = 1000.0, 16000.0


def result(p50_us: float, *, replies: float = 1.1, requests: float = 1.1) -> LoadResult:
    changes = {
        "latency_us": {"mean": p50_us, "p50": p50_us, "p95": 2 * p50_us, "p99": 3 * p50_us},
        "replies_per_burst": replies,
        "requests_per_burst": requests,
    }
    return decode(json.dumps(LOADED | changes), LoadResult, "test")


def measurement(
    low: LoadResult,
    high: LoadResult,
    *,
    rounds: int = 5,
    wake_us: dict[float, float] | None = None,
    wake_unavailable: str = "",
) -> RatesMeasurement:
    options = RatesOptions(LoadOptions("127.0.0.1:7379", Path("out")), (LOW, HIGH), rounds)
    readings = tuple(
        RateReading(number, rate, reading)
        for number in range(rounds)
        for rate, reading in ((LOW, low), (HIGH, high))
    )
    return RatesMeasurement(options, readings, wake_us or {}, wake_unavailable)
