"""False sharing is found, and its look-alikes are not: true sharing, readers only, one thread."""

import numpy as np

from topdown.data.accesses import LEVELS, Accesses, MemoryLevel
from topdown.data.cache_lines import LEAST_ACCESSES, false_sharing, line_uses

LINE = 0x7F00_0000_0040
MANY = 2 * LEAST_ACCESSES


def accesses(*groups: tuple[int, int, bool, bool, int]) -> Accesses:
    """Groups of (address, thread, whether it stores, whether the line was modified, count)."""
    rows = [group[:4] for group in groups for _ in range(group[4])]
    count = len(rows)
    level = LEVELS.index(MemoryLevel.L3)
    return Accesses(
        sample=np.arange(count),
        address=np.array([row[0] for row in rows], np.uint64),
        physical=np.zeros(count, np.uint64),
        is_store=np.array([row[2] for row in rows], np.bool_),
        level=np.full(count, level, np.uint8),
        modified=np.array([row[3] for row in rows], np.bool_),
        latency=np.zeros(count, np.uint64),
        thread=np.array([row[1] for row in rows], np.int64),
        cpu=np.zeros(count, np.int32),
        process=np.full(count, 10, np.int64),
        frame=np.full(count, -1, np.int64),
    )


def pairs(*groups: tuple[int, int, bool, bool, int]) -> list[tuple[int, int]]:
    shared = false_sharing(line_uses(accesses(*groups), 10))
    return [(pair.first.offset, pair.second.offset) for pair in shared]


def test_threads_that_write_different_words_of_a_line_share_it_falsely() -> None:
    assert pairs((LINE, 0, True, False, MANY), (LINE + 8, 1, False, True, MANY)) == [(0, 8)]


def test_a_word_that_both_threads_use_is_shared_truly() -> None:
    assert pairs((LINE, 0, True, False, MANY), (LINE, 1, False, True, MANY)) == []


def test_a_line_that_is_only_read_is_not_blamed() -> None:
    assert pairs((LINE, 0, False, True, MANY), (LINE + 8, 1, False, True, MANY)) == []


def test_one_thread_with_two_words_is_not_blamed() -> None:
    assert pairs((LINE, 0, True, False, MANY), (LINE + 8, 0, False, True, MANY)) == []


def test_words_of_different_lines_are_not_blamed() -> None:
    assert pairs((LINE, 0, True, False, MANY), (LINE + 64, 1, False, True, MANY)) == []


def test_a_line_that_never_moved_between_caches_is_not_blamed() -> None:
    assert pairs((LINE, 0, True, False, MANY), (LINE + 8, 1, False, False, MANY)) == []


def test_few_accesses_are_no_evidence() -> None:
    few = LEAST_ACCESSES - 1
    assert pairs((LINE, 0, True, False, few), (LINE + 8, 1, False, True, few)) == []


def test_lines_with_most_misses_come_first_and_processes_are_apart() -> None:
    lines = line_uses(
        accesses((LINE, 0, False, False, 3), (LINE + 128, 0, False, False, 5)), limit=10
    )
    assert [(line.address, line.misses) for line in lines] == [(LINE + 128, 5), (LINE, 3)]
    assert len(line_uses(accesses((LINE, 0, False, False, 3)), limit=0)) == 0
