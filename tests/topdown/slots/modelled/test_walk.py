"""Walks along counts: as often each way as the program went, and back to who called."""

from collections import Counter
from itertools import pairwise

from tests.topdown.slots.modelled.programs import at, loop, walk_of
from topdown.slots.modelled.callgrind_file import EVENTS, CallgrindProfile
from topdown.slots.modelled.disassembly import DisassemblyLine
from topdown.slots.modelled.walk import BranchChoices, Walker


def test_choices_come_as_often_as_their_weights_say() -> None:
    turns = BranchChoices()
    chosen = Counter(turns.choose(7, {1: 3, 2: 1}) for _ in range(400))
    assert chosen == {1: 300, 2: 100}


def test_a_loop_repeats() -> None:
    profile, lines = loop("nop", "nop")
    steps = walk_of(profile, lines, 9)[0]
    assert [step.address for step in steps][:4] in (
        [at(0), at(1), at(2), at(0)],
        [at(1), at(2), at(0), at(1)],
    )
    assert [step.jumped for step in steps].count(True) >= 2


def test_a_branch_falls_through_as_often_as_it_did() -> None:
    profile, lines = loop("je     1008", "nop", "nop")
    profile.costs[at(1)][0] = 250
    profile.jumps[at(0)] = {at(2): 750}
    profile.conditional[at(0)] = 1000
    steps = walk_of(profile, lines, 4000)[0]
    shares = Counter(step.address for step in steps)
    assert abs(shares[at(1)] / shares[at(0)] - 0.25) < 0.01


def called_twice() -> tuple[CallgrindProfile, dict[int, DisassemblyLine]]:
    profile = CallgrindProfile()
    main = profile.function_number("1:main")
    leaf = profile.function_number("1:leaf")
    texts = {0x10: "call   100", 0x14: "call   100", 0x18: "jmp    10", 0x100: "nop", 0x104: "ret"}
    lines = {address: DisassemblyLine(text, address + 4) for address, text in texts.items()}
    for address in texts:
        often = 200 if address >= 0x100 else 100
        profile.costs[address] = [often] + [0] * (len(EVENTS) - 1)
        profile.function_of[address] = leaf if address >= 0x100 else main
    profile.calls = {0x10: {0x100: 100}, 0x14: {0x100: 100}}
    profile.callers = {leaf: {0x10: 100, 0x14: 100}}
    profile.jumps = {0x18: {0x10: 100}}
    return profile, lines


def test_calls_return_to_their_caller() -> None:
    steps = Walker(*called_twice()).walks(1, 300)[0]
    order = [step.address for step in steps]
    for before, after in pairwise(order):
        assert (
            after
            in {0x10: [0x100], 0x14: [0x100], 0x18: [0x10], 0x100: [0x104], 0x104: [0x14, 0x18]}[
                before
            ]
        )
    shares = Counter(order)
    assert abs(shares[0x100] - 2 * shares[0x10]) <= 2


def test_a_walk_that_starts_in_a_function_returns_to_a_caller() -> None:
    walker = Walker(*called_twice())
    assert all(len(walk) == 20 for walk in walker.walks(8, 20))


def test_a_walk_ends_without_a_known_successor() -> None:
    profile, lines = called_twice()
    del profile.jumps[0x18]
    assert all(len(walk) < 20 for walk in Walker(profile, lines).walks(4, 20))


def test_nothing_to_walk_on() -> None:
    walker = Walker(CallgrindProfile(), {})
    assert walker.walks(4, 10) == []
    assert walker.known_instructions == 0
