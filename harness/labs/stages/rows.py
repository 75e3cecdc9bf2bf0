"""The quantities of the stages table: what each is called, how it is read off and written."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.labs.stages.plan import SATURATED, Load, Side
from harness.labs.stages.results import Reading, StagesResults
from harness.labs.stages.statistics import Spread
from harness.load.text import microseconds


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
P99 = Quantity("p99_us", "p99", lambda each: each.p99_us, microseconds)
CPU = Quantity("cpu_us", "CPU a request", lambda each: each.cpu_us, microseconds)
BATCH = Quantity("average_batch", "average batch", lambda each: each.average_batch, _plain)
QUANTITIES = (
    THROUGHPUT,
    Quantity("p50_us", "p50", lambda each: each.p50_us, microseconds),
    Quantity("p90_us", "p90", lambda each: each.p90_us, microseconds),
    P99,
    Quantity("p99.9_us", "p99.9", lambda each: each.p999_us, microseconds),
    CPU,
    BATCH,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity under a load, on both sides, and staged over unstaged pair by pair."""

    load: Load
    quantity: Quantity
    unstaged: Spread | None
    staged: Spread | None
    ratio: Spread | None


def rows(results: StagesResults) -> list[Row]:
    """Return the table's rows, load by load."""
    return [
        Row(
            load,
            quantity,
            results.spread(load, Side.UNSTAGED, quantity.pick),
            results.spread(load, Side.STAGED, quantity.pick),
            results.ratio(load, quantity.pick),
        )
        for load in (SATURATED, *results.options.loads)
        for quantity in QUANTITIES
    ]


def measured_rows(results: StagesResults) -> list[Row]:
    """Return the rows that have a value on a side."""
    return [row for row in rows(results) if row.unstaged is not None or row.staged is not None]


def spread_text(found: Spread | None, text: Callable[[float], str]) -> str:
    """Return a median with its interval; "n/a" where there is none."""
    if found is None:
        return "n/a"
    values, units = zip(
        *(text(value).partition(" ")[::2] for value in (found.median, found.low, found.high)),
        strict=True,
    )
    if len(set(units)) == 1:  # told once
        return f"{values[0]} ({values[1]} to {values[2]}) {units[0]}".rstrip()
    return f"{text(found.median)} ({text(found.low)} to {text(found.high)})"


def ratio_text(found: Spread | None) -> str:
    """Return a ratio with its interval and number of pairs; empty where there is none."""
    if found is None:
        return ""
    return f"{found.median:.3f} ({found.low:.3f} to {found.high:.3f}) n={found.n}"
