"""Counting on hardware counters: in the guest, and natively if this machine has a PMU.

In the guest counts are exact, and an instruction takes 2 to the power of the shift cycles. On a real
CPU interrupts add counts, the stack's position changes the cost of libc's start, and the number of
counters depends on the model.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.live.counting import Counting
from tests.pmu_guest.conftest import Counted
from tests.pmu_guest.counting import EXACT, LONG, LOOP_INSTRUCTIONS, MULTIPLEXED, many

pytestmark = pytest.mark.pmu


def scaled(counting: Counting, event: str) -> float:
    """The count of an event, scaled to the whole time."""
    for group in counting.header["groups"]:
        if event in group["events"]:
            last = [line for line in counting.lines if line["g"] == group["group"]][-1]
            value: int = last["v"][group["events"].index(event)]
            return value * last["enabled"] / last["running"]
    raise AssertionError(event)


def running_share(counting: Counting, group: int) -> float:
    last = [line for line in counting.lines if line["g"] == group][-1]
    return float(last["running"] / last["enabled"])


def test_instructions_are_exact(counted: Counted) -> None:
    """Four per iteration and a constant for the program's start and end, the same on every run."""
    counts = {name: counted.good(name).last("instructions") for name in EXACT}
    step = LOOP_INSTRUCTIONS * (EXACT["twice"] - EXACT["once"])
    exactly: dict[str, Any] = {"rel": 1e-4} if counted.native else {"abs": 0}
    assert counts["twice"] - counts["once"] == pytest.approx(step, **exactly)
    assert counts["thrice"] - counts["twice"] == pytest.approx(step, **exactly)
    assert counts["again"] == pytest.approx(counts["once"], **exactly)


@pytest.mark.parametrize("shift", [0, 1])
def test_an_instruction_takes_two_to_the_shift_cycles(
    guest_at: Callable[[int], Counted], shift: int
) -> None:
    """The difference of two runs excludes the cost of the program's start."""
    short, long = (guest_at(shift).good(name) for name in ("once", "thrice"))
    instructions, cycles = (
        long.last(event) - short.last(event) for event in ("instructions", "cycles")
    )
    loops = LOOP_INSTRUCTIONS * (EXACT["thrice"] - EXACT["once"])
    assert instructions == loops
    assert instructions / cycles == pytest.approx(0.5**shift, rel=0.02)


def test_a_group_is_read_at_once_and_always_counted(counted: Counted) -> None:
    counting = counted.good("whole")
    assert running_share(counting, 0) == 1
    assert scaled(counting, "instructions") == pytest.approx(LOOP_INSTRUCTIONS * LONG, rel=0.001)


def test_multiplexed_events_scale_to_the_known_count(counted: Counted) -> None:
    counting = counted.good("multiplexed")
    groups = counting.header["groups"]
    assert len(groups) > 1 or counted.native
    for name in many(MULTIPLEXED):
        assert scaled(counting, name) == pytest.approx(LOOP_INSTRUCTIONS * LONG, rel=0.03)
    shares = [running_share(counting, group["group"]) for group in groups]
    if len(groups) > 1:
        assert max(shares) < 0.6
    assert sum(shares) == pytest.approx(1, abs=0.1)


def test_seven_events_are_a_group_and_eight_are_two(guest_at: Callable[[int], Counted]) -> None:
    """Six counters and a cycle counter: the kernel refuses the eighth event, and the set is split with a warning."""
    seven, eight = (guest_at(0).good(name) for name in ("seven", "eight"))
    assert [len(group["events"]) for group in seven.header["groups"]] == [7]
    assert "set-split" not in seven.warnings()
    assert sorted(len(group["events"]) for group in eight.header["groups"]) == [1, 7]
    assert eight.document["counting"]["sets"][0]["split"] is True
    assert "set-split" in eight.warnings()


def test_children_count_into_their_parent(counted: Counted) -> None:
    counting = counted.good("children")
    loops = 2 * LOOP_INSTRUCTIONS * 1_000_000
    assert loops <= counting.last("instructions") <= 1.2 * loops


def test_a_command_counts_from_its_exec_to_its_end(counted: Counted) -> None:
    short, chained = counted.good("short"), counted.good("chained")
    once = counted.good("once").last("instructions")
    own_start = short.last("instructions")
    assert 0 < own_start < 0.05 * once
    assert short.document["end"]["target_status"] == {"exited": 0}
    loops = once - own_start  # the shell's counts before the exec are added
    assert loops < chained.last("instructions") < 2 * once


def test_a_known_kernel_has_constant_counts_per_iteration(counted: Counted) -> None:
    few, more, most = (
        counted.good(f"kernel_{rounds}").last("instructions")
        for rounds in (200_000, 400_000, 600_000)
    )
    assert most - more == pytest.approx(more - few, rel=0.01)
    assert more - few >= 30 * 200_000  # thirty additions per iteration


def test_windows_of_a_running_process(counted: Counted) -> None:
    counting = counted.good("attached")
    assert counting.document["end"]["reason"] == "duration"
    assert {line["g"] for line in counting.lines} == {0}
    assert [line["w"] for line in counting.lines] == list(range(len(counting.lines)))
    assert len(counting.lines) >= 4
    values = [line["v"][0] for line in counting.lines]
    assert values == sorted(values)
    if not counted.native:  # an instruction per nanosecond, except in the kernel
        assert values[-1] == pytest.approx(counting.lines[-1]["enabled"], rel=0.1)


def test_a_cpu_is_counted_with_all_its_processes(counted: Counted) -> None:
    counting = counted.good("cpus_counted")
    assert {line["scope"]["cpu"] for line in counting.lines} == {0}
    assert counting.last("instructions") > 0
    assert counting.last("cycles") > 0


def test_counters_held_by_other_users_are_not_used(
    guest_at: Callable[[int], Counted],
) -> None:
    counting = guest_at(0).good("held_3")
    assert "counters-held" in counting.warnings()
    assert "known_counts (" in counting.messages  # the holder's name
    groups = counting.header["groups"]
    assert len(groups) > 1
    assert all(group["ran"] for group in counting.document["counting"]["groups"])
    assert scaled(counting, "i0") == pytest.approx(LOOP_INSTRUCTIONS * LONG / 5, rel=0.1)


def test_without_a_free_counter_the_holder_is_named(guest_at: Callable[[int], Counted]) -> None:
    """The cycle counter is still free; the six others are not."""
    counting = guest_at(0).of("held_7")
    if counting.exit_code == 0:
        held = counting.unavailable()
        assert set(held) >= {"i0", "i5"}
        assert all(item["errno"] == "EBUSY" for item in held.values())
        assert "known_counts" in held["i0"]["reason"]
    else:
        assert counting.exit_code == 3
        assert "known_counts" in counting.messages


def test_events_without_hardware_are_unavailable_and_not_zero(
    guest_at: Callable[[int], Counted],
) -> None:
    counting = guest_at(0).good("absent")
    columns = {name for group in counting.header["groups"] for name in group["events"]}
    assert "L1D" not in columns
    assert counting.last("INST") > 4000
    refused = counting.unavailable()["L1D"]
    assert "does not have it" in refused["reason"]
    assert refused["remedy"]
    # An implementation-defined event cannot be tested for support, so its zero is not reliable.
    assert counting.document["counting"]["unverified_zero"] == ["L1D_RD"]


def test_a_plan_of_uncountable_events_is_refused(guest_at: Callable[[int], Counted]) -> None:
    counting = guest_at(0).of("all_absent")
    assert counting.exit_code == 3
    assert "L1D" in counting.messages
    assert not counting.directory.exists()


def test_a_cgroup_is_counted_without_its_neighbours(guest_at: Callable[[int], Counted]) -> None:
    """Two equal loops share the CPU; only the first is inside the cgroup."""
    counting = guest_at(0).good("cgroup_counted")
    last = counting.lines[-1]
    elapsed = last["t"] - counting.header["start_ns"]
    assert last["scope"] == {"cpu": 0, "cgroup": "counted"}
    assert 0.3 * elapsed < last["v"][0] < 0.7 * elapsed
