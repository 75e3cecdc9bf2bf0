"""System calls whose number only a reading of /proc shows."""

from dataclasses import replace

import numpy as np

from tests.topdown.waits.test_syscall_sites import ENOSYS, samples
from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.read_calls import with_read_calls
from topdown.waits.records import ThreadReading, WaitRecords
from topdown.waits.syscall_sites import UNKNOWN_CALL, Numbers

FUTEX, READ, PREAD = 202, 0, 17
ADDRESS, WAIT = 0x5739918, 128


def calls(*rows: tuple[int, int, int], result: int = ENOSYS, pid: int | None = None) -> Numbers:
    """Return the calls of two samples, the first one in a wait at ADDRESS, by readings.

    ``pid``: the process of all threads, by default their own.
    """
    switch_samples = samples([(result, 0x100, 0), (ENOSYS, 0x100, 0)])
    switch_samples.registers[:, 3:5] = [(ADDRESS, WAIT), (3, 0)]
    readings = tuple(ThreadReading(1, 0, "S", 0, 0, (*row, 0, 0, 0, 0)) for row in rows)
    records: WaitRecords = replace(
        build_records("A R0-1").records, switch_samples=switch_samples, readings=readings
    )
    if pid is not None:
        threads = tuple(replace(thread, pid=pid) for thread in records.threads)
        records = replace(records, threads=threads)
    return with_read_calls(records, np.full(2, UNKNOWN_CALL, np.int32))


def test_a_reading_with_the_same_arguments_shows_the_number() -> None:
    assert calls((FUTEX, ADDRESS, WAIT)).tolist() == [FUTEX, UNKNOWN_CALL]
    assert calls((FUTEX, ADDRESS + 4, WAIT)).tolist() == [UNKNOWN_CALL, UNKNOWN_CALL]


def test_readings_that_differ_show_nothing() -> None:
    assert calls((READ, 3, 0), (PREAD, 3, 0)).tolist() == [UNKNOWN_CALL, UNKNOWN_CALL]


def test_a_thread_outside_of_a_call_has_no_number() -> None:
    assert calls((FUTEX, ADDRESS, WAIT), result=0).tolist() == [UNKNOWN_CALL, UNKNOWN_CALL]


def test_a_thread_of_an_unknown_process_has_an_unknown_call() -> None:
    unknown = -1
    assert calls((FUTEX, ADDRESS, WAIT), pid=unknown).tolist() == [UNKNOWN_CALL, UNKNOWN_CALL]
