"""The time that all files of an analysis share."""

import pytest

from topdown.stacks.symbols.reading_limits import ReadingBudget


@pytest.mark.parametrize(
    ("cpu_s", "wall_s", "text"),
    [
        (0.1, 0.1, ""),
        (0.0, 0.1, "the limit on CPU time for all files was reached"),
        (0.1, -1.0, "the limit on the time for all files was reached"),
    ],
)
def test_the_limit_that_was_reached_is_named(cpu_s: float, wall_s: float, text: str) -> None:
    assert ReadingBudget(cpu_s, wall_s).exhausted == text
