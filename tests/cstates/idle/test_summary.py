"""Counts of idle intervals by state, cause and process."""

from cstates.idle import summary as idle_summary
from cstates.idle.intervals import IPI, TIMER
from cstates.idle.summary import OTHERS, IdleSummary
from tests.harness.cstates.record.decoded import interval


def test_an_interval_below_the_target_residency_is_too_deep() -> None:
    counts = IdleSummary((None, 50_000))
    for idle_us in (49, 50, 51):
        counts.add(interval(idle_us))
    counts.add(interval(1, state=0))  # no shallower state
    counts.add(interval(1, state=7))  # not declared
    assert counts.intervals == 5
    assert {kind: wakes.too_deep for kind, wakes in counts.wakes.items()} == {
        (1, TIMER): 1,
        (0, TIMER): 0,
        (7, TIMER): 0,
    }


def test_causes_and_cpus_are_counted_separately() -> None:
    counts = IdleSummary((None, None))
    for cpu, wake in ((0, TIMER), (1, TIMER), (1, IPI)):
        counts.add(interval(100, cpu=cpu, wake=wake))
    assert (counts.intervals_of(0), counts.intervals_of(1), counts.intervals_of(2)) == (1, 2, 0)
    assert counts.wakes[1, TIMER].wakes == 2
    assert counts.wakes[1, TIMER].awake_sum_ns == 2 * 20_000
    assert counts.exits[1, IPI].exit.total == 1


def test_processes_beyond_the_limit_share_a_row(monkeypatch) -> None:
    monkeypatch.setattr(idle_summary, "MAX_PROCESSES", 2)
    counts = IdleSummary((None, None))
    for pid in (1, 2, 3, 4, 1, 0):  # 0: no task ran next
        counts.add(interval(100, pid=pid))
    assert {key[:2]: wakes.wakes for key, wakes in counts.processes.items()} == {
        (1, "task 1"): 2,
        (2, "task 2"): 1,
        (-1, OTHERS): 2,
    }
