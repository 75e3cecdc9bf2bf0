"""Which level answers, turn by turn, and which code is too much to be kept."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from topdown.slots.modelled.callgrind_file import EVENTS, CallgrindProfile
from topdown.slots.modelled.instructions import decode
from topdown.slots.modelled.misses import DRAM, L1, L2, L3, MissSource

HERE = 0x1000
JUMP = decode("jne    1000")


def profile(**events: int) -> CallgrindProfile:
    result = CallgrindProfile()
    result.costs[HERE] = [events.get(name, 0) for name in EVENTS]
    return result


def levels(source: MissSource, turns: int = 1000) -> Counter[int]:
    return Counter(source.load_level(HERE) for _ in range(turns))


def test_two_simulations_distinguish_three_levels() -> None:
    far = profile(Ir=1000, Dr=1000, D1mr=500, DLmr=100)
    near = profile(Ir=1000, Dr=1000, D1mr=500, DLmr=300)
    assert levels(MissSource(far, near)) == {L1: 500, L2: 200, L3: 200, DRAM: 100}


def test_with_one_simulation_last_level_hits_are_third_level_hits() -> None:
    far = profile(Ir=1000, Dr=1000, D1mr=500, DLmr=100)
    assert levels(MissSource(far, None)) == {L1: 500, L3: 400, DRAM: 100}


def test_a_stream_misses_every_eighth_time() -> None:
    source = MissSource(profile(Ir=800, Dr=800, D1mr=100), None)
    missed = [turn for turn in range(80) if source.load_level(HERE) != L1]
    assert {after - before for before, after in pairwise(missed)} == {8}


def test_stores_and_code_have_separate_levels() -> None:
    source = MissSource(profile(Ir=10, Dw=10, D1mw=10, I1mr=10, ILmr=10), None)
    assert (source.load_level(HERE), source.store_level(HERE)) == (L1, L3)
    assert source.code_level(HERE) == DRAM


def test_only_jumps_are_mispredicted() -> None:
    source = MissSource(profile(Ir=10, Bc=10, Bcm=10), None)
    assert source.mispredicted(HERE, JUMP)
    assert not source.mispredicted(HERE, decode("add    rax,rbx"))
    assert not source.mispredicted(HERE + 4, JUMP)


@given(st.lists(st.integers(0, 2**40), min_size=len(EVENTS), max_size=len(EVENTS)))
def test_contradicting_counts_give_warnings_only(counts: list[int]) -> None:
    far = CallgrindProfile()
    far.costs[HERE] = counts
    source = MissSource(far, far)
    for _ in range(5):
        assert source.load_level(HERE) in (L1, L2, L3, DRAM)
        source.mispredicted(HERE, JUMP)
