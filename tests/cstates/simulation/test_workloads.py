"""Generated idle intervals: lengths and seeds."""

import numpy as np
import pytest

from cstates.simulation.workloads import TIMER_NS, generate_trace, parse_workload
from stallscope.errors import UsageError


@pytest.mark.parametrize(
    ("text", "spread"),
    [("poisson:250us", 1.0), ("periodic:0.25ms", 0.01), ("request-reply:250us", 0.25)],
)
def test_lengths_have_the_requested_mean_and_deviation(text: str, spread: float) -> None:
    trace = generate_trace(parse_workload(text, intervals=50_000))
    own = trace.idle_ns[trace.idle_ns < trace.next_timer_ns]  # a timer ends the others
    assert float(np.mean(own)) == pytest.approx(250_000, rel=0.05)
    assert float(np.std(own)) / 250_000 == pytest.approx(spread, rel=0.1)


def test_equal_seeds_give_equal_intervals() -> None:
    first, second = (
        generate_trace(parse_workload("poisson:1ms", seed=7, intervals=100)) for _ in "ab"
    )
    other = generate_trace(parse_workload("poisson:1ms", seed=8, intervals=100))
    assert (first.idle_ns == second.idle_ns).all()
    assert (first.idle_ns != other.idle_ns).any()


def test_timers_end_longer_intervals() -> None:
    trace = generate_trace(parse_workload("poisson:10ms", intervals=1000))
    assert (trace.idle_ns <= trace.next_timer_ns).all()
    assert int(trace.idle_ns.max()) <= TIMER_NS
    assert (np.diff(trace.t_entry_ns) >= trace.idle_ns[:-1]).all()


@pytest.mark.parametrize(
    "text",
    ["poisson", "poisson:", "poisson:250", "poisson:-1us", "poisson:nanus", "poisson:infs", "burst:1us",
     "poisson:0us", "poisson:9e99s", ":1us", ""],
)  # fmt: skip
def test_an_invalid_workload_is_rejected(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_workload(text)
    assert "request-reply:250us" in refused.value.remedy


@pytest.mark.parametrize("count", [0, -1, 10**12])
def test_the_number_of_intervals_is_limited(count: int) -> None:
    with pytest.raises(UsageError, match="cannot generate"):
        parse_workload("poisson:1ms", intervals=count)
