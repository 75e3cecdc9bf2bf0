"""The decision: known answers on simulated series, and when a gate ends early."""

import math

import pytest

from benchmarks.gate_noise import CALM, NORMAL, Noise, NoisyMachine
from harness.bench.gate.blocks import Block
from harness.bench.gate.decision import (
    GateVerdict,
    decide,
    decide_builds,
    percent_threshold,
    ratio_percent,
    run_stages,
)
from tests.long_tests import long_tests

BLOCKS = 20
TRIALS = long_tests(short=12, long=50)


def verdicts(noise: Noise, slowdown: float, percent: float, trials: int) -> list[GateVerdict]:
    threshold = percent_threshold(percent)
    return [
        run_stages(NoisyMachine(noise, seed).blocks(slowdown), BLOCKS, threshold)[0].verdict
        for seed in range(trials)
    ]


@pytest.mark.long
@pytest.mark.parametrize("noise", [CALM, NORMAL])
def test_known_answers_of_simulated_machines(noise: Noise) -> None:
    """Null at most 5 %; 5 % slower found in 80 %; 2 % slower with slower:1% in 50 %."""
    assert verdicts(noise, 0.0, 1, TRIALS).count(GateVerdict.REGRESSION) <= max(1, 0.05 * TRIALS)
    assert verdicts(noise, 0.05, 2, TRIALS).count(GateVerdict.REGRESSION) >= 0.8 * TRIALS
    assert verdicts(noise, 0.02, 1, TRIALS).count(GateVerdict.REGRESSION) >= 0.5 * TRIALS


def test_a_slowdown_below_the_threshold_is_no_regression() -> None:
    assert (
        decide([0.010, 0.011, 0.012] * 4, (), math.log1p(0.02)).verdict == GateVerdict.NO_REGRESSION
    )


def test_too_few_or_too_noisy_blocks_are_undecided() -> None:
    assert decide([0.05, 0.06, 0.07], (), 0.02).verdict == GateVerdict.UNDECIDED
    assert decide([0.5, -0.5, 0.4, -0.3, 0.2, 0.1], (), 0.02).verdict == GateVerdict.UNDECIDED


def test_a_clear_answer_needs_one_stage() -> None:
    for slowdown in (0.0, 0.05):
        decision, blocks = run_stages(NoisyMachine(CALM, 1).blocks(slowdown), BLOCKS, 0.02)
        assert len(blocks) == BLOCKS
        assert decision.stages == 1


def test_an_interrupted_measurement_keeps_its_blocks() -> None:
    machine = NoisyMachine(CALM, 1).blocks(0.05)
    decision, blocks = run_stages(lambda count: machine(min(count, 4)), BLOCKS, 0.02)
    assert len(blocks) == 4
    assert decision.verdict == GateVerdict.UNDECIDED


def test_without_a_block_nothing_is_decided() -> None:
    decision, blocks = run_stages(lambda _: [], BLOCKS, 0.02)
    assert blocks == []
    assert decision.verdict == GateVerdict.UNDECIDED
    assert ratio_percent(decision.estimate) is None


def test_the_build_is_the_unit_of_several_builds() -> None:
    """Each build's offset counts once, however many blocks it has."""

    def blocks(offsets: list[float], per_build: int) -> list[Block]:
        return [
            Block(base=1.0, base_again=1.0, head=math.exp(offset), build=number)
            for number, offset in enumerate(offsets)
            for _ in range(per_build)
        ]

    placement = [0.01, -0.002, 0.012, 0.011, -0.001, 0.003]
    assert decide_builds(blocks(placement, 50), 0.001).verdict == GateVerdict.UNDECIDED
    slower = [offset + 0.03 for offset in placement]
    assert decide_builds(blocks(slower, 2), 0.02).verdict == GateVerdict.REGRESSION
