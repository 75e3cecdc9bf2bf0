from tests.topdown.waits.lock_records import ADDRESS, MS, lock_records
from topdown.waits.owners import ASLEEP, LATE, NO_OWNER, NOT_READ, PREEMPTED, RUNNING
from topdown.waits.records import NO_STACK, OwnerReading

TEXT = """
    A R0-1 W(B,mutex)1-11 R11-12
    B R0-2 W(disk,disk)2-10 R10-20
"""


def reading(at_ms: float, owner: int | None = 101, **changes: object) -> OwnerReading:
    """Return a reading of the owner of the mutex that thread A waits for."""
    values = {"waiter": 0, "address": ADDRESS, "kind": "mutex", "reason": "", **changes}
    return OwnerReading(at_ns=round(at_ms * MS), owner_tid=owner, **values)  # type: ignore[arg-type]


def test_an_owner_read_at_once_is_named_with_the_stack_of_its_switch_out() -> None:
    built, _, _, owners = lock_records(TEXT, owners=(reading(2),))
    assert owners.owner.tolist() == [1]
    # B waits itself when the lock is read.
    assert owners.place == (ASLEEP,)
    assert built.names.user(int(owners.stack[0])) == ("pwrite64", "flush")


def test_a_running_owner_has_the_nearest_cpu_sample_within_the_hold() -> None:
    text = "A R0-1 W(B,mutex)1-11 R11-12\nB@1 R(compute)0-20"
    built, _, _, owners = lock_records(text, owners=(reading(2),), cpu_sample_every=3)
    assert owners.place == (RUNNING,)
    assert built.names.user(int(owners.stack[0])) == ("hash", "insert", "work")


def test_a_running_owner_without_samples_has_no_stack() -> None:
    text = "A R0-1 W(B,mutex)1-11 R11-12\nB@1 R0-20"
    _, _, _, owners = lock_records(text, owners=(reading(2),))
    assert owners.owner.tolist() == [1]
    assert owners.stack.tolist() == [NO_STACK]
    assert owners.place[0].startswith("none")


def test_a_preempted_owner_is_labelled() -> None:
    text = "A R0-1 W(B,mutex)1-11 R11-12\nB R0-1 W(A,disk)1-1.5 Q1.5-10 R10-20"
    _, _, _, owners = lock_records(text, owners=(reading(2),))
    assert owners.place == (PREEMPTED,)


def test_a_late_reading_names_no_owner() -> None:
    _, _, _, owners = lock_records(TEXT, owners=(reading(9),))
    assert owners.owner.tolist() == [NO_OWNER]
    assert owners.reasons[owners.reason[0]] == LATE


def test_readings_of_other_locks_kinds_threads_and_times_name_no_owner() -> None:
    for wrong in (
        reading(1.5, address=0x5004),
        reading(1.5, kind="rwlock-read"),
        reading(1.5, waiter=1),
        reading(1.5, owner=999),
        reading(1.5, owner=100),
        reading(1.5, owner=None),
        reading(15),
    ):
        _, _, _, owners = lock_records(TEXT, owners=(wrong,))
        assert owners.owner.tolist() == [NO_OWNER], wrong
        assert owners.reasons[owners.reason[0]] == NOT_READ


def test_a_reading_names_no_owner_of_a_lock_without_owners() -> None:
    for place in ("condition", "musl"):
        text = f"A R0-1 W(B,{place})1-11 R11-12\nB@1 R0-20"
        _, _, _, owners = lock_records(text, owners=(reading(1.5),))
        assert owners.owner.tolist() == [NO_OWNER]
        assert owners.reasons[owners.reason[0]] != NOT_READ
