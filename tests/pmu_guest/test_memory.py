"""The memory lab's counts by thread, on counters whose readings are known by construction."""

import json
from typing import Any

import pytest

from tests.pmu_guest.guest import Result

pytestmark = pytest.mark.pmu


@pytest.fixture(scope="module")
def threads(guest: dict[str, Result]) -> list[dict[str, Any]]:
    """The reports of all threads of all points."""
    result = guest["memory"]
    assert result.status == 0, result.stderr
    hello, *points = [json.loads(line) for line in result.stdout.splitlines()]
    assert hello["event"] == "hello"
    assert [len(point["threads"]) for point in points] == [1, 2]
    return [thread for point in points for thread in point["threads"]]


def test_a_step_takes_the_instructions_of_its_loop(threads: list[dict[str, Any]]) -> None:
    """A load, an increment, a comparison (or both combined) and a branch; calls around the loop are few."""
    for thread in threads:
        instructions = thread["counts_per_step"]["instructions"]
        assert 3 <= instructions <= 5
        assert instructions == pytest.approx(round(instructions), abs=0.02)


def test_cycles_equal_instructions_at_a_cycle_per_instruction(
    threads: list[dict[str, Any]],
) -> None:
    for thread in threads:
        counts = thread["counts_per_step"]
        assert counts["cycles"] == pytest.approx(counts["instructions"], rel=1e-3)


def test_events_without_a_counter_are_null_with_the_reason(threads: list[dict[str, Any]]) -> None:
    for thread in threads:
        missing = {name for name, count in thread["counts_per_step"].items() if count is None}
        assert missing == set(thread["counters_refused"])
        assert "dtlb_read_misses" in missing
