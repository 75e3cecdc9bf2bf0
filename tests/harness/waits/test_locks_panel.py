from harness.waits.locks_panel import locks_panels
from harness.waits.result import IdlePool, KernelLockWaits, LockFunction
from tests.harness.waits.waits_results import HOSTILE, MS, lock, waits_result


def test_the_panel_has_locks_with_owner_and_signs() -> None:
    (panel,) = locks_panels(waits_result(locks=(lock(signs=("convoy: 3 threads",)),)))
    markup = str(panel.markup)
    assert "mutex 0x5000" in markup
    assert "owner hog (thread 11); hash &lt; insert (at the switch)" in markup
    assert "sign: convoy: 3 threads" in markup


def test_hostile_names_are_escaped_in_all_tables() -> None:
    function = LockFunction(
        function=HOSTILE, attributed_ns=0, inclusive_ns=MS, waits=1, callers=(), callees=()
    )
    pool = IdlePool(
        name=HOSTILE, process=HOSTILE, threads=1, wall_ns=MS, place=HOSTILE, rule="a rule"
    )
    kernel = KernelLockWaits(address="0x1", kind="spin", function=HOSTILE, wait_ns=MS, waits=1)
    result = waits_result(
        locks=(lock(owner=None, owner_unknown=HOSTILE),),
        lock_functions=(function,),
        kernel_locks=(kernel,),
        idle_pools=(pool,),
    )
    markup = str(locks_panels(result)[0].markup)
    assert "<script" not in markup
    assert "\x1b" not in markup
    assert "a rule" in markup


def test_without_locks_there_is_no_panel() -> None:
    assert locks_panels(waits_result(locks=())) == []
