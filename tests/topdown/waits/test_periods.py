"""The part of a recording of waits that lies in a period."""

from dataclasses import replace

from tests.topdown.waits.wait_records_builder import MILLISECOND, Place, build_records
from topdown.waits.periods import kinds_within, records_within, totals_within
from topdown.waits.records import ThrottledTime
from topdown.waits.states import ThreadState
from topdown.waits.thread_states import thread_totals
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_kinds import classify_waits

SLEEP = {"sleep": Place(("nanosleep",), syscall=230)}


def test_time_outside_of_the_period_is_left_out() -> None:
    built = build_records("A R0-10 W(?,sleep)10-60 R60-100", places=SLEEP)
    kinds = classify_waits(
        built.records, build_intervals(built.records), built.names, built.syscalls
    )
    totals = thread_totals(built.records, kinds, built.names)
    part = kinds_within(kinds, 50 * MILLISECOND, 90 * MILLISECOND)
    amounts = totals_within(totals, kinds, part).amounts[0]
    assert amounts[ThreadState.USER] == 30 * MILLISECOND
    assert amounts[ThreadState.SLEEP] == 10 * MILLISECOND
    assert amounts.sum() == 40 * MILLISECOND


def test_stolen_time_is_divided_as_in_the_whole_recording() -> None:
    built = build_records("A R0-100")
    readings = tuple(
        replace(reading, run_ns=reading.run_ns and 90 * MILLISECOND)
        for reading in built.records.readings
    )
    steal = (ThrottledTime("", None, None, 10 * MILLISECOND),)
    records = replace(built.records, readings=readings, throttled=steal)
    kinds = classify_waits(records, build_intervals(records), built.names, built.syscalls)
    totals = thread_totals(records, kinds, built.names)
    part = kinds_within(kinds, 50 * MILLISECOND, 100 * MILLISECOND)
    amounts = totals_within(totals, kinds, part).amounts[0]
    assert amounts[ThreadState.STOLEN] == 5 * MILLISECOND
    assert amounts[ThreadState.USER] == 45 * MILLISECOND


def test_records_of_a_period_have_its_begin_and_end_and_its_readings() -> None:
    records = build_records("A R0-100").records
    part = records_within(records, 50 * MILLISECOND, 100 * MILLISECOND)
    assert (part.begin_ns, part.end_ns) == (50 * MILLISECOND, 100 * MILLISECOND)
    assert [reading.at_ns for reading in part.readings] == [100 * MILLISECOND]
    assert part.limited_from_ns is None
