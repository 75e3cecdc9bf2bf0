"""The pipeline model on loops whose cycles a person can count."""

from dataclasses import replace

import pytest

from tests.topdown.slots.modelled.programs import (
    CORE,
    HOST,
    count,
    loop,
    per_turn,
    steps_of,
)
from topdown.slots.modelled.callgrind_file import CallgrindProfile
from topdown.slots.modelled.pipeline import PipelineStall

ADDS = [f"add    r{number},rbx" for number in range(8, 16)]


def test_independent_additions_are_bound_by_their_units_alone() -> None:
    steps = steps_of(*loop(*ADDS))
    assert per_turn(steps, 9, PipelineStall.WIDTH) == pytest.approx(
        8 / 6, abs=0.05
    )  # the jump is fused
    assert per_turn(steps, 9) == pytest.approx(8 / CORE.units["alu"], rel=0.2)


def test_a_chain_takes_a_cycle_an_addition() -> None:
    steps = steps_of(*loop(*["add    rax,rbx"] * 10))
    assert per_turn(steps, 11) == pytest.approx(10, abs=0.2)
    assert per_turn(steps, 11, PipelineStall.UNITS) < 4


def test_an_overwritten_register_breaks_a_chain() -> None:
    steps = steps_of(*loop("xor    eax,eax", *["add    rax,rbx"] * 4))
    assert per_turn(steps, 6) < 2


def test_dependent_divisions_are_serial() -> None:
    steps = steps_of(*loop("mov    rdx,rcx", "div    rbx"))
    assert per_turn(steps, 3) == pytest.approx(HOST.divide64_cycles, abs=1)
    assert per_turn(steps, 3, PipelineStall.DEPENDENCY) < 4


def test_independent_divisions_wait_for_the_divider() -> None:
    steps = steps_of(*loop("movsd  xmm1,xmm2", "mov    rax,rsi", "xor    edx,edx", "div    rbx"))
    busy = HOST.divide64_cycles * CORE.divider_busy_share
    assert per_turn(steps, 5) == pytest.approx(busy, abs=1)


def chase(level_events: dict[str, int], near: dict[str, int] | None = None) -> float:
    profile, lines = loop("mov    rax,QWORD PTR [rax]")
    count(profile, 0, Dr=1000, **level_events)
    other = None
    if near is not None:
        other = CallgrindProfile()
        other.costs = {address: list(cost) for address, cost in profile.costs.items()}
        count_in(other, near)
    return per_turn(steps_of(profile, lines, other), 2)


def count_in(profile: CallgrindProfile, events: dict[str, int]) -> None:
    count(profile, 0, **events)


def test_chased_pointers_take_the_latency_of_the_level_that_has_them() -> None:
    assert chase({}) == pytest.approx(4, abs=0.1)
    assert chase({"D1mr": 1000}, {"DLmr": 0}) == pytest.approx(14, abs=0.2)
    assert chase({"D1mr": 1000}, {"DLmr": 1000}) == pytest.approx(50, abs=1)
    assert chase({"D1mr": 1000, "DLmr": 1000}, {"DLmr": 1000}) == pytest.approx(300, abs=5)


def test_independent_loads_overlap() -> None:
    profile, lines = loop("imul   rcx,rdx,0x11", "mov    rax,QWORD PTR [rsi+rcx*8]", "inc    rdx")
    count(profile, 1, Dr=1000, D1mr=1000, DLmr=1000)
    taken = per_turn(steps_of(profile, lines), 4)
    assert taken < 300 / 8
    assert taken >= max(HOST.dram_line_cycles, 300 / CORE.fill_buffers) * 0.9


def added_by_levels(*texts: str, l3_cycles: float) -> tuple[float, float]:
    """Return the cycles a turn that the third level and memory add, of loads 1 and 2 of a loop."""
    profile, lines = loop(*texts)
    count(profile, 1, Dr=1000, D1mr=1000)
    count(profile, 2, Dr=1000, D1mr=1000, DLmr=1000)
    near = CallgrindProfile()
    near.costs = {address: list(cost) for address, cost in profile.costs.items()}
    count(near, 1, DLmr=1000)
    steps = steps_of(profile, lines, near)
    host = replace(HOST, load_cycles=(4.0, 14.0, l3_cycles, 300.0))
    cycles = [per_turn(steps, len(texts) + 1, cause, host) for cause in PipelineStall]
    l3 = cycles[PipelineStall.L3_LATENCY] - cycles[PipelineStall.L3_LATENCY - 1]
    memory = cycles[PipelineStall.DRAM_LATENCY] - cycles[PipelineStall.DRAM_LATENCY - 1]
    return l3, memory


@pytest.mark.parametrize("l3_cycles", [50.0, 290.0])
def test_overlapping_loads_belong_to_the_farther_level(l3_cycles: float) -> None:
    # As STALLS_L2_MISS - STALLS_L3_MISS counts it: no miss of the third level is under way then.
    l3, memory = added_by_levels(
        "imul   rcx,rdx,0x11",
        "mov    rax,QWORD PTR [rsi+rcx*8]",
        "mov    rbx,QWORD PTR [rdi+rcx*8]",
        "inc    rdx",
        l3_cycles=l3_cycles,
    )
    assert memory > 10
    assert l3 < memory


@pytest.mark.parametrize("l3_cycles", [50.0, 290.0])
def test_dependent_loads_of_two_levels_have_separate_causes(l3_cycles: float) -> None:
    l3, memory = added_by_levels(
        "nop", "mov    rbx,QWORD PTR [rax]", "mov    rax,QWORD PTR [rbx]", l3_cycles=l3_cycles
    )
    assert l3 == pytest.approx(l3_cycles - 4, abs=1)
    assert memory == pytest.approx(300 - 4, abs=1)


def test_a_stream_is_bound_by_its_lines_and_not_by_latency() -> None:
    profile, lines = loop("add    rax,QWORD PTR [rsi]", "add    rsi,0x40")
    count(profile, 0, Dr=1000, D1mr=1000, DLmr=1000)
    steps = steps_of(profile, lines)
    assert all(step.strided for step in steps if step.load_level)
    assert per_turn(steps, 3) == pytest.approx(HOST.dram_line_cycles, rel=0.1)
    assert per_turn(steps, 3, PipelineStall.DRAM_LATENCY) < 2


def test_a_load_from_a_line_on_its_way_waits_for_it() -> None:
    profile, lines = loop("add    rdx,QWORD PTR [rax+0x8]", "mov    rax,QWORD PTR [rax]")
    count(profile, 0, Dr=1000, D1mr=1000, DLmr=1000)
    assert per_turn(steps_of(profile, lines), 3) == pytest.approx(300, abs=10)


def test_a_value_through_memory_takes_forwarding() -> None:
    profile, lines = loop(
        "mov    rax,QWORD PTR [rdi]", "add    rax,rbx", "mov    QWORD PTR [rdi],rax"
    )
    taken = per_turn(steps_of(profile, lines), 4)
    assert taken == pytest.approx(CORE.forward_cycles + 1, abs=0.2)
    beside = loop(
        "mov    rax,QWORD PTR [rbp-0x8]", "add    rax,rbx", "mov    QWORD PTR [rbp-0x8],rax"
    )
    assert per_turn(steps_of(*beside), 4) == pytest.approx(CORE.stack_forward_cycles + 1, abs=0.2)


def test_a_store_of_a_part_is_not_forwarded() -> None:
    profile, lines = loop("mov    DWORD PTR [rdi],eax", "mov    rax,QWORD PTR [rdi]")
    assert all(step.forwarded_from == -1 for step in steps_of(profile, lines))


def test_wrong_predictions_take_the_way_to_the_branch_and_back() -> None:
    profile, lines = loop(*ADDS)
    count(profile, 8, Bc=1000, Bcm=500)
    steps = steps_of(profile, lines)
    assert sum(step.mispredicted for step in steps) == pytest.approx(len(steps) / 18, rel=0.05)
    added = per_turn(steps, 9) - per_turn(steps, 9, PipelineStall.FETCH_BANDWIDTH)
    assert added == pytest.approx(0.5 * HOST.mispredict_cycles, rel=0.4)


def test_code_that_misses_keeps_the_pipeline_waiting() -> None:
    profile, lines = loop(*ADDS)
    count(profile, 4, I1mr=1000)
    missing = steps_of(profile, lines)
    added = per_turn(missing, 9) - per_turn(steps_of(*loop(*ADDS)), 9)
    assert added == pytest.approx(
        HOST.code_line_cycles, rel=0.3
    )  # nothing distinguishes it from L2


def test_repeated_string_instructions_move_bytes_and_not_turns() -> None:
    profile, lines = loop("rep stos BYTE PTR es:[rdi],al")
    profile.jumps[0x1000] = {0x1000: 990}
    count(profile, 0, Dw=1000)
    assert per_turn(steps_of(profile, lines), 1) < 0.5
