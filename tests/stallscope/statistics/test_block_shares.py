"""Differences of shares between recordings split into blocks."""

import numpy as np
import pytest

from stallscope.statistics.block_shares import BLOCKS, BlockSums, compare_shares

FRAMES = 600


def _recording(
    generator: np.random.Generator,
    *,
    samples: int = 40_000,
    slower: float = 1.0,
    phases: float = 0.0,
) -> BlockSums:
    """Return a recording of FRAMES functions, of which the third most frequent may be slower.

    ``phases``: spread of the logarithm of each function's share between blocks.
    """
    weights = 1 / np.arange(2.0, FRAMES + 2)
    weights[2] *= slower
    parts = np.zeros((FRAMES, BLOCKS))
    for block in range(BLOCKS):
        now = weights * np.exp(generator.normal(0, phases, FRAMES)) if phases else weights
        parts[:, block] = generator.multinomial(samples // BLOCKS, now / now.sum())
    return BlockSums(parts, parts.sum(axis=0), samples)


@pytest.mark.parametrize("phases", [0.0, 0.3])
def test_at_most_one_of_20_equal_pairs_is_flagged(phases) -> None:
    generator = np.random.default_rng(7)
    pairs = [
        compare_shares(_recording(generator, phases=phases), _recording(generator, phases=phases))
        for _ in range(20)
    ]
    assert sum(bool(pair.flagged.any()) for pair in pairs) <= 1


def test_a_function_that_grows_beyond_the_noise_is_flagged_alone() -> None:
    generator = np.random.default_rng(8)
    difference = compare_shares(_recording(generator), _recording(generator, slower=1.3))
    assert difference.flagged[2]
    assert difference.flagged.sum() <= 2
    assert int(np.argmax(np.abs(difference.delta))) == 2
    assert difference.low[2] > 0


def test_phases_of_the_program_widen_the_interval() -> None:
    generator = np.random.default_rng(9)
    calm = compare_shares(_recording(generator), _recording(generator))
    phased = compare_shares(_recording(generator, phases=0.5), _recording(generator, phases=0.5))
    assert phased.overdispersion[0] > 3 > calm.overdispersion[0]
    assert (phased.high - phased.low)[0] > 2 * (calm.high - calm.low)[0]


def test_a_few_samples_of_a_new_function_are_no_evidence() -> None:
    rest = np.full((1, BLOCKS), 1000.0)
    few, many = np.zeros((1, BLOCKS)), np.zeros((1, BLOCKS))
    few[0, ::8] = 1  # 3 samples
    many[0, ::2] = 5  # 60 samples
    none = np.zeros((1, BLOCKS))
    for parts, flagged in ((few, False), (many, True)):
        a = BlockSums(np.vstack([none, rest]), rest[0], 24_000)
        b = BlockSums(np.vstack([parts, rest]), rest[0], 24_000)
        assert bool(compare_shares(a, b).flagged[0]) is flagged


def test_shares_of_ratios_without_samples_are_compared_by_their_blocks() -> None:
    generator = np.random.default_rng(10)
    whole = np.full(BLOCKS, 0.1)
    a = BlockSums(generator.normal(0.5, 0.01, (1, BLOCKS)) * whole, whole)
    b = BlockSums(generator.normal(0.6, 0.01, (1, BLOCKS)) * whole, whole)
    difference = compare_shares(a, b)
    assert difference.delta[0] == pytest.approx(0.1, abs=0.01)
    assert difference.flagged[0]
    assert not compare_shares(a, a).flagged[0]


def test_one_block_has_no_noise_and_no_verdict() -> None:
    single = BlockSums(np.array([[1.0]]), np.array([2.0]), 2)
    other = BlockSums(np.array([[2.0]]), np.array([2.0]), 2)
    assert not compare_shares(single, other).flagged[0]
