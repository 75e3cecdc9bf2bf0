"""Simulated machines: their noise has the stated size."""

import statistics

from benchmarks.gate_noise import CALM, NORMAL, NoisyMachine


def test_the_spread_of_blocks_grows_with_the_noise() -> None:
    spreads = [
        statistics.pstdev(block.control for block in NoisyMachine(noise, 1).blocks(0.0)(300))
        for noise in (CALM, NORMAL)
    ]
    assert 0.006 < spreads[0] < 0.009
    assert 0.02 < spreads[1] < 0.05


def test_a_slowdown_is_that_of_head_alone() -> None:
    blocks = NoisyMachine(CALM, 1).blocks(0.05)(300)
    assert 0.046 < statistics.median(block.difference for block in blocks) < 0.051
