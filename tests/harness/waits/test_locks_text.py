from harness.waits.locks_text import (
    function_lines,
    hold_text,
    kernel_lock_lines,
    lines,
    owner_text,
    pool_lines,
)
from harness.waits.result import IdlePool, KernelLockWaits, LockFunction, LockHold
from tests.harness.waits.waits_results import HOSTILE, MS, links, lock


def test_a_lock_has_owner_stack_callers_and_signs() -> None:
    assert list(lines([lock(signs=("convoy: 3 threads",))], 100)) == [
        "Locks and other futexes, by waiting time:",
        "  mutex 0x5000: 20.0 ms in 2 waits",
        "      owner hog (thread 11); hash < insert (at the switch)",
        "      from insert 20.0 ms",
        "      sign: convoy: 3 threads",
    ]


def test_a_lock_with_visible_holds_has_their_mean() -> None:
    holds = (
        LockHold(threads=2, holds=3, mean_ns=MS),
        LockHold(threads=3, holds=1, mean_ns=5 * MS),
    )
    assert hold_text(lock(holds=holds)) == "; held 2.00 ms at a time while threads waited"
    assert hold_text(lock()) == ""


def test_an_unknown_owner_has_a_reason() -> None:
    unknown = lock(owner=None, owner_unknown="a condition variable has no owner")
    assert owner_text(unknown) == "owner not known: a condition variable has no owner"


def test_no_locks_are_stated() -> None:
    assert list(lines([], 80)) == ["Locks: no thread waited for a futex."]


def test_functions_have_inclusive_and_attributed_time() -> None:
    function = LockFunction(
        function="insert",
        attributed_ns=5 * MS,
        inclusive_ns=20 * MS,
        waits=3,
        callers=links(("work", 20)),
        callees=(),
    )
    table = list(function_lines([function], 100))
    assert table[-2].split() == ["20.0", "ms", "5.00", "ms", "3", "insert"]
    assert table[-1].strip() == "called by work 20.0 ms"
    assert list(function_lines([], 100)) == []


def test_kernel_locks_and_idle_pools_are_listed() -> None:
    kernel = KernelLockWaits(address="0xff", kind="spin", function="do_exit", wait_ns=MS, waits=4)
    assert list(kernel_lock_lines([kernel]))[1] == "  spin 0xff: 1.00 ms in 4 waits, from do_exit"
    pool = IdlePool(
        name="pool", process="redis", threads=3, wall_ns=MS, place="wait < work", rule="a rule"
    )
    assert list(pool_lines([pool], 80))[1:] == ["  3 x redis/pool in wait < work", "  rule: a rule"]


def test_hostile_names_are_printable() -> None:
    assert "\x1b" not in "\n".join(lines([lock(signs=(HOSTILE,))], 80))
