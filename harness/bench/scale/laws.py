"""Operational laws, which hold for every measured interval whatever the distribution.

Little's law: N = X (R + Z). Utilization law: U = X D. A measurement that breaks one of them
contradicts itself: a response time that does not include all waiting, fewer clients than
requested, or a demand of other work. Source: Denning and Buzen, The operational analysis of
queueing network models, 1978.
"""

from collections.abc import Iterator, Sequence

from harness.bench.scale.readings import CountedReadings
from stallscope.documents import Amount, Record, field

TOLERANCE = 0.05  # relative difference of both sides


class LawCheck(Record, frozen=True, kw_only=True):
    """Both sides of a law at a count."""

    n: Amount = field(name="N")
    measured: Amount  # N or U
    predicted: Amount  # X (R + Z) or X D
    holds: bool


class DemandPoint(Record, frozen=True, kw_only=True):
    """CPU seconds per operation at a count: U / X, and their growth since the smallest count."""

    n: Amount = field(name="N")
    busy: Amount  # mean number of busy CPUs
    demand_s: Amount
    growth: Amount | None


def little_checks(points: Sequence[CountedReadings], think_s: float) -> Iterator[LawCheck]:
    """Yield Little's law at each count with a response time."""
    for point in points:
        if point.response_s is not None:
            rates = point.throughputs
            throughput = sum(rates) / len(rates)
            yield _check(point.count, point.count, throughput * (point.response_s + think_s))


def utilization_checks(points: Sequence[CountedReadings]) -> Iterator[LawCheck]:
    """Yield the utilization law at each count with busy servers and a demand."""
    for point in points:
        if point.busy is not None and point.demand_s is not None:
            rates = point.throughputs
            yield _check(point.count, point.busy, sum(rates) / len(rates) * point.demand_s)


def demands(points: Sequence[CountedReadings]) -> Iterator[DemandPoint]:
    """Yield the demand at each count with busy servers."""
    first: float | None = None
    for point in points:
        if point.busy is None:
            continue
        rates = point.throughputs
        demand_s = point.busy / (sum(rates) / len(rates))
        first = demand_s if first is None else first
        growth = demand_s / first if first else None
        yield DemandPoint(n=point.count, busy=point.busy, demand_s=demand_s, growth=growth)


def _check(count: float, measured: float, predicted: float) -> LawCheck:
    holds = abs(predicted - measured) <= TOLERANCE * max(measured, predicted)
    return LawCheck(n=count, measured=measured, predicted=predicted, holds=holds)
