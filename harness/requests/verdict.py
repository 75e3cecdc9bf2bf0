"""The sentences that say why slow requests are slow."""

from harness.cli.terminal import percent
from harness.requests.function_names import place_text
from harness.requests.result import RequestKind
from stallscope.quantities import value_text
from topdown.requests.explanation import RequestExplanation
from topdown.requests.latency_classes import MIN_SLOW, LatencyClasses, requests_needed
from topdown.requests.mean_differences import MeanDifference

LEAST_SHARE_OF_SLOW = 0.5
LEAST_RATIO = 2.0  # of that share and the share of all requests


def quantile_name(share: float) -> str:
    """Return the name of a quantile: p99, p99.9."""
    return f"p{100 * share:.6g}"


def verdict(
    requests: int,
    classes: LatencyClasses,
    wall: MeanDifference | None,
    rows: list[RequestExplanation],
    slow_above: float,
) -> tuple[str, ...]:
    """Return the sentences; with too few requests, how many are needed."""
    slow = int(classes.slow.sum())
    if wall is None or not classes.enough:
        needed = requests_needed(slow_above)
        few = f"{requests:,} requests, of which {slow:,} are above {quantile_name(slow_above)}"
        return (f"{few}, are too few; {needed:,} are needed to compare {MIN_SLOW} slow ones",)
    head = (
        f"requests above {quantile_name(slow_above)} take {_time(wall.difference)} more than "
        f"median ones ({_time(wall.slow)} and {_time(wall.median)})"
    )
    causal_rows = [row for row in rows if row.stands_out]
    if not causal_rows:
        return (f"{head}, and no state stands out: they do more of the same, or wait at random",)
    causes = ", ".join(_cause(row) for row in causal_rows)
    return (f"{head}: {causes}",)


def _cause(row: RequestExplanation) -> str:
    place = f" in {place_text(row.place.chain)}" if row.place.chain else ""
    if row.state == "suspended" and place:
        place = f" for {row.place.chain[0]}"
    return f"{_time(row.times.difference)} {row.state.replace('_', ' ')}{place}"


def _time(amount_ns: float) -> str:
    return value_text(round(amount_ns), "ns")


def kind_sentences(kinds: tuple[RequestKind, ...], slow: int) -> tuple[str, ...]:
    """Return the name that most slow requests have, if few others have it."""
    total = sum(kind.requests for kind in kinds)
    if slow < MIN_SLOW or len(kinds) < 2:
        return ()
    kind = max(kinds, key=lambda kind: kind.slow_requests)
    share_of_slow, share = kind.slow_requests / slow, kind.requests / total
    if share_of_slow < LEAST_SHARE_OF_SLOW or share_of_slow < LEAST_RATIO * share:
        return ()
    part = f"{kind.slow_requests:,} of the {slow:,} slow requests"
    return (f"{part} are {kind.name or 'unnamed'}, as are {percent(share)} of all",)
