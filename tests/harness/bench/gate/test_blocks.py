"""Blocks: base twice and head once in random order, and their differences."""

import math
import random

import pytest

from harness.bench.gate.blocks import Block, Slot, planned_block


def test_a_block_runs_every_slot_once_in_random_order() -> None:
    generator = random.Random(1)
    orders = {tuple(run.slot for run in planned_block(generator)) for _ in range(100)}
    assert len(orders) == 6
    assert all(sorted(order) == list(Slot) for order in orders)


def test_the_environment_has_random_sizes() -> None:
    generator = random.Random(1)
    sizes = {run.padding_bytes for _ in range(20) for run in planned_block(generator)}
    assert len(sizes) > 50
    assert min(sizes) >= 1


def test_differences_are_ratios() -> None:
    block = Block(base=1.0, base_again=4.0, head=4.0)
    assert block.difference == pytest.approx(math.log(2))
    assert block.control == pytest.approx(math.log(4))
