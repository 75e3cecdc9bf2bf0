from tests.topdown.waits.lock_records import ADDRESS, MS, lock_records
from topdown.waits.futex import LockKind
from topdown.waits.futex_waits import KINDS


def test_futex_waits_have_kind_object_and_period() -> None:
    _, _, waits, _ = lock_records(
        "A R0-1 W(B,mutex)1-9 R9-10 W(B,condition)10-15 R15-16 W(B,musl)16-18 R18-19\nB R0-20"
    )
    assert [KINDS[kind] for kind in waits.kind] == [
        LockKind.MUTEX,
        LockKind.CONDITION,
        LockKind.MUSL_MUTEX,
    ]
    assert waits.address.tolist() == [ADDRESS, 0x6000, 0x7000]
    assert waits.futex.tolist() == [ADDRESS, 0x6028, 0x7004]
    assert waits.duration_ns.tolist() == [8 * MS, 5 * MS, 2 * MS]
    assert len(waits.take(waits.kind == 0)) == 1


def test_other_calls_and_unknown_calls_with_unknown_callers_are_left_out() -> None:
    _, _, waits, _ = lock_records("A R0-1 W(disk,disk)1-9 R9-10 W(B,unnamed)10-15 R15-16\nB R0-20")
    assert len(waits) == 0
