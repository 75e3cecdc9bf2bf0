from dataclasses import fields

import numpy as np
import pytest

from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits import timeline
from topdown.waits.records import NO_ROW
from topdown.waits.states import Intervals
from topdown.waits.thread_blocks import IntervalColumns, rows_in_all, thread_blocks

TEXT = "\n".join(
    f"t-{n} R{n}-{n + 10} W(t-0,lock){n + 10}-{n + 50} Q{n + 50}-{n + 60} R{n + 60}-99"
    for n in range(1, 9)
)
RECORDS = build_records("t-0 R0-99\n" + TEXT, places={"lock": Place(("lock",))}).records


def test_blocks_together_have_all_records() -> None:
    blocks = list(thread_blocks(RECORDS, block_events=6))
    assert len(blocks) > 2
    for name, count in (("switches", len(RECORDS.switches.time_ns)), ("samples", 8)):
        rows = np.concatenate([getattr(block, name) for block in blocks])
        assert sorted(rows.tolist()) == list(range(count))
    first = blocks[0].records
    assert np.array_equal(first.switches.time_ns, RECORDS.switches.time_ns[blocks[0].switches])


def test_intervals_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = timeline.build_intervals(RECORDS)
    monkeypatch.setattr(timeline, "thread_blocks", lambda records: thread_blocks(records, 6))
    divided = timeline.build_intervals(RECORDS)
    for field in fields(Intervals):
        assert np.array_equal(getattr(whole, field.name), getattr(divided, field.name)), field.name
    assert (whole.sample != NO_ROW).sum() == 8


def test_rows_of_a_block_are_rows_of_all_records() -> None:
    rows = rows_in_all(np.array([1, NO_ROW, 0], np.uint32), np.array([7, 9]))
    assert rows.tolist() == [9, NO_ROW, 7]


def test_more_intervals_than_reserved_are_kept() -> None:
    whole = timeline.build_intervals(RECORDS)
    columns = IntervalColumns(3)
    columns.append(whole)
    columns.append(whole)
    twice = columns.intervals()
    assert np.array_equal(twice.begin_ns, np.tile(whole.begin_ns, 2))
    assert np.array_equal(twice.state, np.tile(whole.state, 2))
