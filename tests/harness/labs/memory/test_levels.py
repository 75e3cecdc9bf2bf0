"""Levels in invented curves: replacement policies, noise, no L3, equal levels."""

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from harness.labs.memory.levels import Confidence, Level, RingLatency, find_levels

KIB, MIB, GIB = 2**10, 2**20, 2**30
Caches = Sequence[tuple[int, float]]  # size and latency

ZEN4: Caches = ((32 * KIB, 1.0), (MIB, 3.8), (32 * MIB, 13.0))
ICE_LAKE: Caches = ((48 * KIB, 1.4), (1280 * KIB, 4.0), (36 * MIB, 22.0))
NEOVERSE_V2: Caches = ((64 * KIB, 1.2), (2 * MIB, 3.6), (114 * MIB, 30.0))
HASWELL: Caches = ((32 * KIB, 1.2), (256 * KIB, 3.6), (25 * MIB, 16.0))
WITHOUT_L3: Caches = ((32 * KIB, 1.0), (MIB, 9.0))


def sizes(most: int = GIB) -> list[int]:
    """Four rings per octave from 4 KiB on."""
    octaves = [4 * KIB << shift for shift in range(30)]
    return [
        s
        for octave in octaves
        for s in (octave, *(octave * n // 4 for n in (5, 6, 7)))
        if s <= most
    ]


def latency(caches: Caches, memory_ns: float, size: int, *, random_last: bool = True) -> float:
    """The mean latency of a ring; only the last cache replaces lines at random."""
    for index, (capacity, hit_ns) in enumerate(caches):
        if size <= capacity:
            return hit_ns
        if random_last and index == len(caches) - 1:
            return hit_ns * capacity / size + memory_ns * (1 - capacity / size)
    return memory_ns


def curve(
    caches: Caches,
    *,
    memory_ns: float = 110.0,
    most: int = GIB,
    disturb: Callable[[float], float] = lambda ns: ns,
    random_last: bool = True,
) -> list[RingLatency]:
    return [
        RingLatency(size, disturb(latency(caches, memory_ns, size, random_last=random_last)))
        for size in sizes(most)
    ]


def holds(level: Level, capacity: int) -> bool:
    assert level.exceeds_bytes is not None
    return level.fits_bytes <= capacity < level.exceeds_bytes * 1.12


@pytest.mark.parametrize("caches", [ZEN4, ICE_LAKE, NEOVERSE_V2, HASWELL, WITHOUT_L3])
@pytest.mark.parametrize("random_last", [False, True])
def test_every_cache_is_detected_at_its_size(caches: Caches, random_last: bool) -> None:
    levels = find_levels(curve(caches, random_last=random_last))
    assert len(levels) == len(caches) + 1
    for level, (capacity, hit_ns) in zip(levels, caches, strict=False):
        assert holds(level, capacity)
        assert level.latency_ns == pytest.approx(hit_ns, rel=0.1)
        assert level.confidence is Confidence.HIGH
    assert levels[-1].latency_ns == pytest.approx(110, rel=0.15)
    assert (levels[-1].exceeds_bytes, levels[-1].confidence) == (None, None)


@pytest.mark.parametrize("seed", range(20))
def test_noise_and_single_disturbed_rings_do_not_move_levels(seed: int) -> None:
    rng = random.Random(seed)

    def disturb(ns: float) -> float:
        return ns * rng.lognormvariate(0, 0.03) * (2.5 if rng.random() < 0.03 else 1)

    levels = find_levels(curve(ZEN4, disturb=disturb))
    ends = [level.exceeds_bytes for level in levels if level.exceeds_bytes]
    for capacity, _ in ZEN4:
        assert any(capacity / 1.3 <= end <= capacity * 1.6 for end in ends), capacity
    assert len(levels) <= len(ZEN4) + 2
    assert all(a.latency_ns < b.latency_ns for a, b in pairwise(levels))


def test_a_few_misses_to_memory_end_a_cache() -> None:
    """Without a level 3, the end of level 2 is near the bottom of the large step to memory."""
    points = [
        RingLatency(
            point.size_bytes, 14.0 if MIB < point.size_bytes <= 3 * MIB // 2 else point.latency_ns
        )
        for point in curve(((32 * KIB, 1.1), (MIB, 3.8)), memory_ns=150.0, random_last=False)
    ]
    assert holds(find_levels(points)[1], MIB)


def test_levels_of_nearly_equal_latency_are_merged() -> None:
    levels = find_levels(curve(((32 * KIB, 1.0), (MIB, 4.0), (8 * MIB, 4.4))))
    assert [round(level.latency_ns) for level in levels[:-1]] == [1, 4]
    assert holds(levels[1], 8 * MIB)


def test_a_flat_curve_has_a_single_level_without_an_end() -> None:
    (level,) = find_levels([RingLatency(size, 5.0) for size in sizes(MIB)])
    assert (level.first_bytes, level.fits_bytes) == (4 * KIB, MIB)
    assert level.exceeds_bytes is None


def test_a_cache_larger_than_the_rings_has_no_end() -> None:
    levels = find_levels(curve(ZEN4, most=8 * MIB))
    assert [level.exceeds_bytes is None for level in levels] == [False, False, True]
    assert levels[-1].latency_ns == pytest.approx(13)


def test_a_curve_that_still_rises_lowers_the_last_confidence() -> None:
    levels = find_levels(curve(ZEN4, most=48 * MIB))
    assert holds(levels[2], 32 * MIB)
    assert levels[2].confidence is Confidence.LOW
    assert levels[3].fits_bytes == 48 * MIB


def test_a_step_within_the_noise_has_no_high_confidence() -> None:
    rng = random.Random(3)
    caches = ((32 * KIB, 1.0), (MIB, 1.4))
    noisy = curve(caches, memory_ns=2.0, disturb=lambda ns: ns * rng.lognormvariate(0, 0.15))
    assert all(level.confidence is not Confidence.HIGH for level in find_levels(noisy))


@pytest.mark.parametrize("count", range(4))
def test_fewer_than_four_rings_have_no_level(count: int) -> None:
    assert find_levels([RingLatency(2**n, 1.0) for n in range(12, 12 + count)]) == ()


def test_the_order_of_the_rings_does_not_matter() -> None:
    points = curve(HASWELL)
    assert find_levels(points[::-1]) == find_levels(points)
