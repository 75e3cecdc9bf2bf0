import pytest

from tests.topdown.requests.request_recording import RequestRecording, recording
from topdown.requests.explanation import ClassPair
from topdown.requests.lock_times import LockTimes, lock_times, wait_partners
from topdown.waits.futex_waits import futex_waits


def pair_of(recorded: RequestRecording) -> ClassPair:
    return ClassPair.of(recorded.built.records, recorded.requests, recorded.classes)


def locks_of(recorded: RequestRecording) -> list[LockTimes]:
    built = recorded.built
    waits = futex_waits(built.records, recorded.kinds.intervals, built.names, built.syscalls)
    return lock_times(waits, pair_of(recorded), built.names)


def test_a_lock_has_the_time_and_number_of_waits_of_both_classes() -> None:
    (lock,) = locks_of(recording("lock"))
    assert lock.address == 0x5000
    assert lock.slow_waits == pytest.approx(1)
    assert lock.median_waits == 0
    assert lock.place.slow_ns == pytest.approx(8e6, rel=0.05)
    assert lock.place.chain[0] == "update"


def test_requests_without_locks_have_none() -> None:
    assert locks_of(recording("disk")) == []


def test_the_disk_ended_the_waits_of_slow_requests() -> None:
    recorded = recording("disk")
    first = wait_partners(
        recorded.built.records, recorded.kinds.intervals, recorded.built.names, pair_of(recorded)
    )[0]
    assert first.name == "disk"
    assert first.slow_ns - first.median_ns == pytest.approx(8e6, rel=0.05)
