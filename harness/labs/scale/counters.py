"""Counters of the server by threads: counts per request and per thread, and their growth."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from harness.labs.scale.options import LoadPoint
from harness.topdown.phase_counts import PhaseCounts
from stallscope.documents import Amount, Natural, Record

GROWTH_MARK = 1.25  # growth of a count per request above which it is highlighted
_MIN_PER_REQUEST = 1e-3  # a rarer event has no meaningful growth


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A separate run whose measured interval is counted; its throughput is not reported."""

    point: LoadPoint
    requests: int
    counts: PhaseCounts
    labels: Mapping[str, str] = field(default_factory=dict)  # event -> what it counts


class CounterGrowth(Record, frozen=True, kw_only=True):
    """An event at one point; all values are None without a count."""

    event: str
    label: str
    per_request: Amount | None
    per_thread: Amount | None
    growth: Amount | None  # of the count per request, against the axis' first point
    grows: bool


class CountedPoint(Record, frozen=True, kw_only=True):
    """The counters of a point."""

    axis: str
    n: Natural
    threads: Natural
    requests: Amount
    events: tuple[CounterGrowth, ...]
    counts: PhaseCounts


def counted_points(
    runs: tuple[CountedRun, ...], threads: Mapping[LoadPoint, int]
) -> Iterator[CountedPoint]:
    """Yield the counters of all points, in order; growth is relative to the axis' first point."""
    first: dict[str, CountedRun] = {}
    for run in runs:
        base = first.setdefault(run.point.axis, run)
        yield CountedPoint(
            axis=run.point.axis,
            n=run.point.n,
            threads=threads[run.point],
            requests=run.requests,
            events=tuple(
                _growth(run, base, item.event, threads[run.point]) for item in run.counts.events
            ),
            counts=run.counts,
        )


def _growth(run: CountedRun, base: CountedRun, event: str, threads: int) -> CounterGrowth:
    now, then = _per_request(run, event), _per_request(base, event)
    count = run.counts.count(event)
    growth = None
    if now is not None and then is not None and then >= _MIN_PER_REQUEST:
        growth = now / then
    return CounterGrowth(
        event=event,
        label=run.labels.get(event, event),
        per_request=now,
        per_thread=None if count is None else count / threads,
        growth=growth,
        grows=growth is not None and growth > GROWTH_MARK,
    )


def _per_request(run: CountedRun, event: str) -> float | None:
    count = run.counts.count(event)
    return None if count is None or not run.requests else count / run.requests
