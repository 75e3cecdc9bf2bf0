"""Threads of a capture by life, and many threads over a recording."""

from pathlib import Path

import numpy as np

from tests.captures.wait_capture import WaitCapture
from tests.topdown.waits.test_read_records import records_of
from topdown.waits.wait_log import ThreadLine, WaitLog


def test_ids_that_are_used_again_are_separate_threads(tmp_path: Path) -> None:
    made = WaitCapture()
    made.process(7)
    for begin in (100, 200, 300):
        made.start(7, 9, begin, parent=7)
        made.switch_in(7, 9, begin + 10)
        made.cpu_sample(7, 9, begin + 20, [0x30])
        made.switch_out(7, 9, begin + 30)
        made.waking((7, 7), 9, begin + 35)
        made.exit(7, 9, begin + 40)
    line = ThreadLine(moment="tick", at_ns=215, pid=7, tid=9, state="R")
    records = records_of(made, tmp_path, WaitLog(threads=(line,)))
    lives = [row for row, thread in enumerate(records.threads) if thread.tid == 9]
    assert len(lives) == 3
    assert records.switches.thread.tolist() == np.repeat(lives, 2).tolist()
    assert records.cpu_samples.thread.tolist() == lives
    assert records.tasks.thread.tolist() == np.repeat(lives, 2).tolist()
    assert records.wake_ups is not None
    assert records.wake_ups.wakee.tolist() == lives
    assert records.readings[0].thread == lives[1]


def test_more_threads_than_64_ki_are_read(tmp_path: Path) -> None:
    made = WaitCapture()
    made.process(7)
    count = 70_000
    for number in range(count):
        made.start(7, 10_000 + number, 1000 * number + 1, parent=7)
        made.switch_in(7, 10_000 + number, 1000 * number + 10)
        made.exit(7, 10_000 + number, 1000 * number + 20)
    records = records_of(made, tmp_path)
    assert len({thread.tid for thread in records.threads if thread.tid >= 10_000}) == count
    assert len(np.unique(records.switches.thread)) == count
