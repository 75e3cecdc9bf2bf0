"""From the document of a recording to what analyses read."""

from cstates.idle.intervals import IPI, TIMER
from cstates.idle.summary import MAX_PROCESSES, OTHERS
from harness.cstates.record.analysis import idle_run
from tests.harness.cstates.record.decoded import document, interval, read


def test_counts_are_decoded_from_the_document() -> None:
    run = idle_run(
        read(document(interval(20), interval(100), interval(100, cpu=1, wake=IPI, pid=8)))
    )
    lengths = run.lengths_of(1)
    assert lengths is not None
    assert lengths.total == 3
    assert {(row.wake, row.wakes, row.too_deep) for row in run.wakes} == {
        (TIMER, 2, 1),
        (IPI, 1, 0),
    }
    assert [row.awake_mean_us for row in run.wakes] == [20.0, 20.0]
    assert {(row.pid, row.name, row.wakes) for row in run.processes} == {
        (7, "task 7", 2),
        (8, "task 8", 1),
    }
    assert run.states[1].above == 0.5


def test_processes_beyond_the_limit_are_counted_together() -> None:
    many = [interval(100, pid=pid) for pid in range(1, MAX_PROCESSES + 11)]
    run = idle_run(read(document(*many)))
    others = [row for row in run.processes if row.name == OTHERS]
    assert [(row.pid, row.wakes) for row in others] == [(-1, 10)]
