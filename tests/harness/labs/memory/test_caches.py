"""Detected levels against sysfs: matched, missing on either side, beyond the caches."""

from harness.labs.memory.caches import compare_with_sysfs
from harness.labs.memory.levels import Confidence, Level
from stallscope.cpu_caches import CpuCache

KIB, MIB = 2**10, 2**20


def level(latency_ns: float, fits: int, exceeds: int | None) -> Level:
    confidence = Confidence.HIGH if exceeds else None
    return Level(latency_ns, fits // 8, fits, exceeds, confidence, 0.01)


def cache(number: int, size: int) -> CpuCache:
    return CpuCache(number, size, 8, 64, "0")


SYSFS = (cache(1, 32 * KIB), cache(2, MIB), cache(3, 32 * MIB))
L1 = level(1.0, 32 * KIB, 40 * KIB)
L2 = level(3.8, MIB, 1280 * KIB)
MEMORY = level(110.0, 1024 * MIB, None)


def rows(
    levels: tuple[Level, ...], caches: tuple[CpuCache, ...] = SYSFS, largest: int = 1024 * MIB
) -> list[tuple[str, bool, bool, str]]:
    compared = compare_with_sysfs(levels, caches, largest)
    return [
        (row.name, row.level is not None, row.cache is not None, row.verdict) for row in compared
    ]


def test_levels_that_agree() -> None:
    l3 = level(13.0, 28 * MIB, 32 * MIB)
    assert rows((L1, L2, l3, MEMORY)) == [
        ("L1", True, True, "agrees"),
        ("L2", True, True, "agrees"),
        ("L3", True, True, "agrees"),
        ("memory", True, False, "larger than all caches"),
    ]


def test_a_guest_can_have_less_of_the_l3_than_sysfs_shows() -> None:
    shared = level(13.0, 16 * MIB, 20 * MIB)
    assert rows((L1, L2, shared, MEMORY))[2] == (
        "L3", True, True, "smaller than in sysfs",
    )  # fmt: skip


def test_a_cache_without_a_step_in_the_curve_is_named() -> None:
    assert rows((L1, level(13.0, 32 * MIB, 40 * MIB), MEMORY)) == [
        ("L1", True, True, "agrees"),
        ("L2", False, True, "no step at its size"),
        ("L3", True, True, "agrees"),
        ("memory", True, False, "larger than all caches"),
    ]
    assert rows((L1, L2, MEMORY))[2:] == [
        ("L3", False, True, "no step at its size"),
        ("memory", True, False, "larger than all caches"),
    ]


def test_a_level_can_be_missing_in_sysfs() -> None:
    assert rows((L1, L2, level(13.0, 32 * MIB, 40 * MIB), MEMORY), SYSFS[:2])[2] == (
        "?", True, False, "not in sysfs",
    )  # fmt: skip
    assert [row[0] for row in rows((L1, L2, MEMORY), ())] == ["?", "?", "memory"]


def test_rings_that_end_within_a_cache() -> None:
    last = level(13.0, 8 * MIB, None)
    assert rows((L1, L2, last), largest=8 * MIB)[2] == (
        "L3", True, True, "no larger ring was measured",
    )  # fmt: skip
    within_l2 = rows((L1, level(3.8, 512 * KIB, None)), largest=512 * KIB)
    assert within_l2[1:] == [
        ("L2", True, True, "no larger ring was measured"),
        ("L3", False, True, "larger than the rings"),
    ]


def test_without_levels_every_cache_is_named() -> None:
    assert [row[:3] for row in rows(())] == [
        ("L1", False, True),
        ("L2", False, True),
        ("L3", False, True),
    ]
