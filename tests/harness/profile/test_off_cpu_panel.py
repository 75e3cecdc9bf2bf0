"""The panels on wakers and idle pools."""

from harness.profile.off_cpu import IdlePoolShown, OffCpuFacts
from harness.profile.off_cpu_panel import off_cpu_panel
from topdown.waits.wakers import WakerShare

WAIT = WakerShare(("futex_wait", "lock<T>"), "main", "holder\u202e of it", 3_000_000, 2)
POOL = IdlePoolShown("it", "<b>worker", 4, 9_000_000, "", "waits at least 90 % of its time")


def test_wakers_and_pools_are_tables_with_the_rule() -> None:
    markup = off_cpu_panel(OffCpuFacts((WAIT,), (POOL,)))
    assert "futex_wait \u2190 lock&lt;T&gt;" in markup
    assert "3.00 ms" in markup
    assert "\u202e" not in markup
    assert "waits at least 90 % of its time" in markup
    assert "&lt;b&gt;worker" in markup


def test_without_idle_pools_there_is_one_panel() -> None:
    markup = off_cpu_panel(OffCpuFacts((WAIT,) * 100, ()))
    assert "idle-pools" not in markup
    assert "40 of 100" in markup
