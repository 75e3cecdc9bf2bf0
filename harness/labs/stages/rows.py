"""The quantities of the stages table: what each is called, how it is read off and written."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.labs.stages.plan import SATURATED, Load, Side
from harness.labs.stages.results import Reading, StagesResults
from stallscope.quantities import microseconds_text
from stallscope.statistics.estimate import Estimate


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _plain(value: float) -> str:
    return f"{value:.3g}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a run: its key in documents, its name for people, and how it is written."""

    key: str
    name: str
    pick: Callable[[Reading], float | None]
    text: Callable[[float], str]


THROUGHPUT = Quantity("throughput_per_s", "requests/s", lambda each: each.throughput, _count)
P99 = Quantity("p99_us", "p99", lambda each: each.p99_us, microseconds_text)
CPU = Quantity("cpu_us", "CPU a request", lambda each: each.cpu_us, microseconds_text)
BATCH = Quantity("average_batch", "average batch", lambda each: each.average_batch, _plain)
QUANTITIES = (
    THROUGHPUT,
    Quantity("p50_us", "p50", lambda each: each.p50_us, microseconds_text),
    Quantity("p90_us", "p90", lambda each: each.p90_us, microseconds_text),
    P99,
    Quantity("p99.9_us", "p99.9", lambda each: each.p999_us, microseconds_text),
    CPU,
    BATCH,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity under a load, on both sides, and staged over unstaged pair by pair."""

    load: Load
    quantity: Quantity
    unstaged: Estimate
    staged: Estimate
    ratio: Estimate


def rows(results: StagesResults) -> list[Row]:
    """Return the table's rows, load by load."""
    return [
        Row(
            load,
            quantity,
            results.estimate(load, Side.UNSTAGED, quantity.pick),
            results.estimate(load, Side.STAGED, quantity.pick),
            results.ratio(load, quantity.pick),
        )
        for load in (SATURATED, *results.options.loads)
        for quantity in QUANTITIES
    ]


def measured_rows(results: StagesResults) -> list[Row]:
    """Return the rows that have a value on a side."""
    return [row for row in rows(results) if row.unstaged.n or row.staged.n]


def estimate_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return a median with its interval; "n/a" without a value."""
    if estimate.median is None or estimate.low is None or estimate.high is None:
        return "n/a"
    texts = [text(value) for value in (estimate.median, estimate.low, estimate.high)]
    values, units = zip(*(words.partition(" ")[::2] for words in texts), strict=True)
    if len(set(units)) == 1:  # the unit is printed once
        return f"{values[0]} ({values[1]} to {values[2]}) {units[0]}".rstrip()
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def ratio_text(ratio: Estimate) -> str:
    """Return a ratio with its interval and number of pairs; empty without a value."""
    if ratio.median is None:
        return ""
    return f"{ratio.median:.3f} ({ratio.low:.3f} to {ratio.high:.3f}) n={ratio.n}"
