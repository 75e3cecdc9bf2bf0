"""The power: grows with blocks and effect, and matches simulated trials."""

from benchmarks.gate_noise import NORMAL, NoisyMachine
from harness.bench.gate.power import blocks_needed, builds_needed, power, power_of_builds

DIFFERENCES = [block.difference for block in NoisyMachine(NORMAL, 3).blocks(0.0)(60)]


def test_power_grows_with_blocks_and_effect() -> None:
    assert power(DIFFERENCES, 0.0, 20) < 0.08
    assert power(DIFFERENCES, 0.01, 10) < power(DIFFERENCES, 0.01, 40)
    assert power(DIFFERENCES, 0.01, 20) < power(DIFFERENCES, 0.03, 20)


def test_the_blocks_needed_have_the_power() -> None:
    needed = blocks_needed(DIFFERENCES, 0.01)
    assert needed is not None
    assert power(DIFFERENCES, 0.01, needed) >= 0.8
    assert blocks_needed(DIFFERENCES, 1e-4) is None


def test_the_power_of_builds_is_that_of_their_exact_test() -> None:
    assert power_of_builds(DIFFERENCES, 0.0, 12) < 0.06
    assert power_of_builds(DIFFERENCES, 0.01, 8) < power_of_builds(DIFFERENCES, 0.01, 40)
    needed = builds_needed(DIFFERENCES, 0.01)
    assert needed is not None
    assert power_of_builds(DIFFERENCES, 0.01, needed) >= 0.8
    assert builds_needed(DIFFERENCES, 1e-4) is None


def test_five_builds_can_show_nothing() -> None:
    assert power_of_builds([0.0, 0.001], 1.0, 5) == 0.0
