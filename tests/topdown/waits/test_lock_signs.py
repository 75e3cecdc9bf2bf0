from tests.topdown.waits.lock_records import ADDRESS, MS, PLACES, lock_records
from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.lock_signs import hold_times, lock_signs, spinning
from topdown.waits.locks import find_locks
from topdown.waits.records import OwnerReading


def waits_in_turn(threads: int, hold: float, rounds: int, begin: float = 0) -> list[str]:
    """Return timelines of threads that take a lock in turn, each waiting for all others."""
    lines = []
    for number in range(threads):
        words, free = [], begin
        for turn in range(rounds):
            at = begin + (turn * threads + number) * hold + hold
            if at > free:
                words.append(f"W(M,mutex){free:.3f}-{at:.3f} R{at:.3f}-{at + hold / 2:.3f}")
            free = at + hold / 2
        lines.append(f"T{number}@{number} " + " ".join(words))
    return lines


def signs_of(text: str, **changes: object) -> tuple[str, ...]:
    """Return the signs of the first lock."""
    built, intervals, waits, owners = lock_records(text, **changes)
    locks = find_locks(waits, owners, intervals, built.records.wake_ups)
    return lock_signs(built.records, intervals, waits, owners, locks).of(locks[0])


def test_short_holds_with_a_long_queue_are_a_convoy() -> None:
    text = "\n".join([*waits_in_turn(4, 0.1, 40), "M@5 R0-20"])
    (sign,) = signs_of(text)
    assert sign.startswith("convoy: 3.")
    assert "every 100 us" in sign


def test_a_queue_that_lasts_for_a_small_part_of_the_time_is_not_a_convoy() -> None:
    assert signs_of("\n".join([*waits_in_turn(4, 0.1, 40), "M@5 R0-400"])) == ()


def test_long_holds_are_not_a_convoy() -> None:
    assert signs_of("\n".join([*waits_in_turn(4, 2, 40), "M@5 R0-400"])) == ()


def test_an_owner_in_the_run_queue_is_a_preempted_holder() -> None:
    text = "A@1 R0-1 W(B,mutex)1-11 R11-12\nB R0-2 Q2-8 R8-20"
    reading = OwnerReading(round(1.2 * MS), 0, ADDRESS, "mutex", 101)
    assert signs_of(text, owners=(reading,)) == (
        "preempted holder: for 60% of the waits with a known owner, the owner waited for a CPU",
    )
    busy = "A@1 R0-1 W(B,mutex)1-11 R11-12\nB R0-20"
    assert signs_of(busy, owners=(reading,)) == ()


def test_hold_times_are_visible_while_threads_wait() -> None:
    text = "\n".join([*waits_in_turn(4, 0.1, 40), "M@5 R0-20"])
    built, intervals, waits, owners = lock_records(text)
    (lock,) = find_locks(waits, owners, intervals, built.records.wake_ups)
    holds = hold_times(lock, waits)
    assert all(abs(hold.mean_ns - 0.1 * MS) < 2000 for hold in holds if hold.holds > 5)


def test_a_hold_time_that_grows_with_the_number_of_threads_is_a_sign() -> None:
    lines = [
        line.replace("T", prefix)
        for prefix, threads, hold, begin in (("T", 2, 2, 0), ("U", 6, 6, 200))
        for line in waits_in_turn(threads, hold, 30, begin)
    ]
    signs = signs_of("\n".join([*lines, "M@7 R0-1500"]))
    assert any(sign.startswith("the hold time grows") for sign in signs)


def test_threads_that_spin_in_user_space_are_listed() -> None:
    places = {**PLACES, "spin": PLACES["compute"].__class__(("pthread_spin_lock", "work"))}
    text = "A R(spin)0-10 R(compute)10-20\nB@1 R(spin)0-10 R(compute)10-20"
    built = build_records(text, places=places, cpu_sample_every=1)
    (spin,) = spinning(built.records, built.names)
    assert (spin.function, spin.threads, spin.cpu_ns) == ("pthread_spin_lock", 2, 20 * MS)
    in_class = PLACES["compute"].__class__(("a::(anonymous namespace)::lock::spin(int)", "work"))
    built = build_records(text, places={**places, "spin": in_class}, cpu_sample_every=1)
    assert [spin.threads for spin in spinning(built.records, built.names)] == [2]
    alone = build_records("A R(spin)0-10", places=places, cpu_sample_every=1)
    assert spinning(alone.records, alone.names) == []
