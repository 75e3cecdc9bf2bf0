"""Run and queue time of threads by schedstat."""

from dataclasses import replace

import numpy as np

from tests.topdown.waits.wait_records_builder import MILLISECOND, build_records
from topdown.waits.records import ThrottledTime
from topdown.waits.schedstat import read_schedstat, stolen_ns
from topdown.waits.states import ThreadState
from topdown.waits.timeline import build_intervals


def test_times_are_those_between_the_first_and_the_last_reading() -> None:
    built = build_records("A R0-10 Q10-30 R30-100\nB R0-100 X100")
    schedstat = read_schedstat(built.records)
    assert schedstat.run_ns.tolist() == [80 * MILLISECOND, -1]
    assert schedstat.queue_ns.tolist() == [20 * MILLISECOND, -1]
    intervals = build_intervals(built.records)
    assert schedstat.recorded(intervals, ThreadState.USER)[0] == 80 * MILLISECOND
    assert schedstat.excess_ns(intervals).tolist() == [0, 0]


def test_the_start_of_a_thread_is_its_first_reading() -> None:
    schedstat = read_schedstat(build_records("A B5 Q5-6 R6-20").records)
    assert schedstat.run_ns.tolist() == [14 * MILLISECOND]
    assert schedstat.begin_ns.tolist() == [5 * MILLISECOND]


def test_no_more_is_stolen_than_the_machine_lost() -> None:
    records = build_records("A R0-100\nB R0-100").records
    steal = replace(records, throttled=(ThrottledTime("", None, None, 30),))
    assert stolen_ns(records, np.array([40, 20])).tolist() == [0, 0]
    assert stolen_ns(steal, np.array([40, 20])).tolist() == [20, 10]
    assert stolen_ns(steal, np.array([4, -20])).tolist() == [4, 0]


def test_time_in_the_run_queue_counts_when_it_ends() -> None:
    built = build_records("A R0-10 Q10-30 R30-40 Q40-90 R90-100")
    readings = tuple(
        replace(row, at_ns=80 * MILLISECOND) if row.at_ns else row for row in built.records.readings
    )
    records = replace(built.records, readings=readings)
    ended = read_schedstat(records).ended(build_intervals(built.records), ThreadState.RUN_QUEUE)
    assert ended.tolist() == [20 * MILLISECOND]
