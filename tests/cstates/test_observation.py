"""Counters over time and over CPUs."""

from collections.abc import Callable
from itertools import count

import pytest

from cstates.observation import StateActivity, merged_activity, observe, uptime_s
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def state_folder(roots: Roots, cpu: int, state: int) -> str:
    return f"{roots.sys}/devices/system/cpu/cpu{cpu}/cpuidle/state{state}"


def put(roots: Roots, cpu: int, state: int, **counters: int) -> None:
    for name, value in counters.items():
        with open(f"{state_folder(roots, cpu, state)}/{name}", "w") as file:
            file.write(f"{value}\n")


def test_activity_since_boot_is_computed_from_uptime(machine: Machines) -> None:
    roots = machine("nehalem-ep-workstation")
    seen = observe(roots, (0,))
    deepest = seen.cpus[0].since_boot[4]
    assert seen.interval is None
    assert seen.boot.seconds == 100_000
    assert deepest.entries_per_s == pytest.approx(5.0)
    assert deepest.above_per_s == pytest.approx(1.25)
    assert deepest.above_share == pytest.approx(0.25)
    assert deepest.residency_share == pytest.approx(500_000 * 3000 * 4 / 1e11)


def test_activity_over_an_interval_is_a_difference(machine: Machines) -> None:
    roots = machine("haltpoll-vm")
    put(roots, 0, 1, usage=1000, time=500_000, above=10, below=0)

    def wait(seconds: float) -> None:
        assert seconds == 2
        put(roots, 0, 1, usage=1500, time=1_500_000, above=60, below=0)

    clock = count(100.0, 2.0)
    seen = observe(roots, (0,), interval_s=2, wait=wait, clock=lambda: next(clock))
    assert seen.interval is not None
    assert seen.interval.seconds == 2
    over = seen.cpus[0].over_interval
    assert over is not None
    assert over[1] == StateActivity(500, 1_000_000, 50, 0, 2.0)
    assert (over[1].entries_per_s, over[1].residency_share) == (250, 0.5)
    assert over[1].above_share == pytest.approx(0.1)


def test_decreased_counters_are_unknown(machine: Machines) -> None:
    roots = machine("haltpoll-vm")
    seen = observe(roots, (0,), interval_s=1, wait=lambda _: put(roots, 0, 1, usage=0))
    over = seen.cpus[0].over_interval
    assert over is not None
    assert over[1].entries is None
    assert over[1].entries_per_s is None
    assert over[1].above == 0


def test_a_share_is_at_most_one() -> None:
    assert StateActivity(1, 2_000_000, 0, 0, 1.0).residency_share == 1.0
    moved = StateActivity(1, 0, 2, 2, 1.0)  # above and below are read after the entries
    assert (moved.above_share, moved.below_share) == (1.0, 1.0)


def test_activity_of_several_cpus_is_summed() -> None:
    first = StateActivity(10, 500_000, 2, None, 1.0)
    both = merged_activity([first, StateActivity(30, 0, 0, 1, 1.0)])
    assert both == StateActivity(40, 500_000, 2, None, 1.0, cpus=2)
    assert both.residency_share == pytest.approx(0.25)
    assert both.above_share == pytest.approx(0.05)


def test_without_entries_there_are_no_shares() -> None:
    nothing = StateActivity(0, 0, 0, 0, None)
    assert nothing.above_share is None
    assert nothing.entries_per_s is None
    assert nothing.residency_share is None


@pytest.mark.parametrize("text", ["", "x", "nan 1", "-5 1", "inf"])
def test_an_invalid_uptime_is_unknown(machine: Machines, text: str) -> None:
    roots = machine("haltpoll-vm")
    (roots.proc / "uptime").write_text(text)
    assert uptime_s(roots) is None
    assert observe(roots, (0,)).cpus[0].since_boot[1].entries_per_s is None


def test_the_lesser_of_global_and_own_limit_is_effective(machine: Machines) -> None:
    roots = machine("ice-lake-server")
    (roots.sys / "devices/system/cpu/cpu1/power/pm_qos_resume_latency_us").write_text("20\n")
    seen = observe(roots, (0, 1))
    assert [cpu.effective_limit_us for cpu in seen.cpus] == [100, 20]
