"""Accuracy of switch records: compared with schedstat before the analysis fits them to it."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.wait_accuracy import named_waits, schedstat_errors
from harness.waits.analysis import WaitAnalysis
from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.records import WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.thread_states import thread_totals
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_kinds import classify_waits

TEXT = "A R0-100 W(?)100-200 R200-300 W(?)300-400 R400-500"


def analysis_of(records: WaitRecords) -> WaitAnalysis:
    names = StackNames.build([])
    calls = np.zeros(0, np.int32)
    kinds = classify_waits(records, build_intervals(records), names, calls)
    totals = thread_totals(records, kinds, names)
    return WaitAnalysis("test", records, names, calls, kinds, totals, (), ())


def with_run_time(run_ns: int) -> WaitRecords:
    records = build_records(TEXT).records
    readings = tuple(replace(row, run_ns=run_ns if row.at_ns else 0) for row in records.readings)
    return replace(records, readings=readings)


def test_the_error_is_that_of_the_records_and_the_change_that_of_the_analysis() -> None:
    errors = schedstat_errors(analysis_of(with_run_time(299_900_000)))
    assert errors is not None
    assert errors.run == pytest.approx(0.1 / 299.9)
    assert errors.run_change == pytest.approx(0.1 / 299.9)
    assert errors.queue == 0


def test_an_error_that_the_analysis_cannot_explain_is_not_changed() -> None:
    errors = schedstat_errors(analysis_of(with_run_time(200_000_000)))
    assert errors is not None
    assert errors.run == pytest.approx(0.5)
    assert errors.run_change < 0.01


def test_random_windows_are_not_compared() -> None:
    records = replace(with_run_time(299_900_000), limited_from_ns=0)
    assert schedstat_errors(analysis_of(records)) is None


def test_without_waits_for_locks_no_share_is_stated() -> None:
    assert named_waits(analysis_of(with_run_time(299_900_000)), "A") is None
