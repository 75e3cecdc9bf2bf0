"""The quantities of the stages table: name, value of a reading, text."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.labs.stages.measurement import StagesQuantity
from stallscope.quantities import microseconds_text
from stallscope.statistics.estimate import Estimate


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _three_digits(value: float) -> str:
    return f"{value:.3g}"


@dataclass(frozen=True, slots=True)
class TableQuantity:
    """A quantity of the table; ``field`` is its attribute in the result's rows."""

    field: str
    name: str
    of: StagesQuantity
    text: Callable[[float], str]


THROUGHPUT = TableQuantity(
    "throughput_per_s", "requests/s", lambda reading: reading.throughput_per_s, _whole
)
P99 = TableQuantity("p99_us", "p99", lambda reading: reading.p99_us, microseconds_text)
CPU = TableQuantity("cpu_us", "CPU per request", lambda reading: reading.cpu_us, microseconds_text)
BATCH = TableQuantity(
    "average_batch", "average batch", lambda reading: reading.average_batch, _three_digits
)
QUANTITIES = (
    THROUGHPUT,
    TableQuantity("mean_us", "mean", lambda reading: reading.mean_us, microseconds_text),
    TableQuantity("p50_us", "p50", lambda reading: reading.p50_us, microseconds_text),
    TableQuantity("p90_us", "p90", lambda reading: reading.p90_us, microseconds_text),
    TableQuantity("p95_us", "p95", lambda reading: reading.p95_us, microseconds_text),
    P99,
    TableQuantity("p999_us", "p99.9", lambda reading: reading.p999_us, microseconds_text),
    CPU,
    BATCH,
)


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
