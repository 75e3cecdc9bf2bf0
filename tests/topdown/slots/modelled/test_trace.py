"""Producers of operands, and strides of loads."""

from tests.topdown.slots.modelled.programs import loop, steps_of
from topdown.slots.modelled.trace import Strides, TimedStep

HERE = 0x1000
BASE = (1, 0, 1)  # the origin of the base register, no index


def strides_of(*offsets: int) -> Strides:
    strides = Strides()
    for offset in offsets:
        strides.add(HERE, BASE, offset)
    return strides


def test_a_constant_small_stride_is_steady() -> None:
    assert strides_of(*range(0, 80, 8)).is_steady(HERE)
    assert not strides_of(*range(0, 2**20, 2**16)).is_steady(HERE)  # too far for prefetching
    assert not strides_of(5, 5, 5, 5).is_steady(HERE)
    assert not strides_of(0).is_steady(HERE)
    assert not Strides().is_steady(HERE)


def after_first_jump(steps: list[TimedStep]) -> int:
    """Return the number of the first step of a whole iteration."""
    return next(n for n, step in enumerate(steps) if step.instruction.mnemonic == "jne") + 1


def test_an_operand_comes_from_the_step_that_wrote_it() -> None:
    steps = steps_of(*loop("add    rax,0x1", "add    rbx,rax"))
    body = 3
    first = after_first_jump(steps) + body
    assert steps[first].needs == (first - body,)  # rax of the iteration before
    assert set(steps[first + 1].needs) == {first, first + 1 - body}


def test_a_load_of_a_stored_value_names_the_store() -> None:
    steps = steps_of(*loop("mov    QWORD PTR [rsp+0x8],rax", "mov    rbx,QWORD PTR [rsp+0x8]"))
    store = after_first_jump(steps)
    assert steps[store + 1].forwarded_from == store
    assert steps[store].forwarded_from == -1
