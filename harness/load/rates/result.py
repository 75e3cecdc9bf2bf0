"""The result of `stallscope load --rates`."""

from harness.load.rates.explanation import LatencyCause, explain
from harness.load.rates.measurement import RatesMeasurement, estimate
from stallscope.documents import Amount, Count, Document, Natural, Record, field
from stallscope.statistics.estimate import Estimate


class RateRow(Record, frozen=True, kw_only=True):
    """One rate: medians over the rounds; latencies in microseconds."""

    rate_per_s: Amount
    achieved_per_s: Estimate
    mean_us: Estimate = field(name="mean")
    p50_us: Estimate = field(name="p50")
    p95_us: Estimate = field(name="p95")
    p99_us: Estimate = field(name="p99")
    replies_per_burst: Amount | None
    requests_per_burst: Amount | None
    wake_us: Amount | None  # round trip of a wake-up after the mean gap; None: not measured
    errors: Count
    limited_by_loader: Count  # runs in which the loader was the bottleneck


class RatesResult(Document, frozen=True, kw_only=True, tag="stallscope.load.rates/1"):
    """Latency by rate; ``cause`` explains a latency that falls as the rate rises."""

    target: str
    connections: Natural
    pipeline: Natural
    rounds: Count
    rows: tuple[RateRow, ...]
    cause: LatencyCause
    reason: str
    compared_rates_per_s: tuple[Amount, Amount]
    p50_ratio: Estimate  # at the second of these rates over the first
    interrupted: bool
    output: str


def rates_result(rates: RatesMeasurement) -> RatesResult:
    """Return the result of a measurement."""
    load = rates.options.load
    explanation = explain(rates)
    return RatesResult(
        target=load.target,
        connections=load.connections,
        pipeline=load.pipeline,
        rounds=rates.complete_rounds,
        rows=tuple(_row(rates, rate) for rate in rates.options.rates_per_s),
        cause=explanation.cause,
        reason=explanation.reason,
        compared_rates_per_s=(explanation.low_per_s, explanation.best_per_s),
        p50_ratio=explanation.ratio,
        interrupted=rates.interrupted,
        output=str(load.output),
    )


def _row(rates: RatesMeasurement, rate: float) -> RateRow:
    results = rates.results(rate)
    return RateRow(
        rate_per_s=rate,
        achieved_per_s=estimate([result.achieved_rate_per_s for result in results]),
        mean_us=estimate([result.latency_us.mean for result in results]),
        p50_us=estimate([result.latency_us.p50 for result in results]),
        p95_us=estimate([result.latency_us.p95 for result in results]),
        p99_us=estimate([result.latency_us.p99 for result in results]),
        replies_per_burst=estimate([result.replies_per_burst for result in results]).median,
        requests_per_burst=estimate([result.requests_per_burst for result in results]).median,
        wake_us=rates.wake_us.get(rate),
        errors=sum(result.errors for result in results),
        limited_by_loader=sum(result.limited_by_loader for result in results),
    )
