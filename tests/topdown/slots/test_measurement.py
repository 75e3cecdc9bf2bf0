"""Which nodes belong to a tree that is cut at a level."""

import pytest

from topdown.slots.measurement import COUNTS, MeasuredNode


@pytest.mark.parametrize(
    ("level", "unit", "cut", "expected"),
    [
        (2, "slots", None, True),
        (2, "slots", 2, True),
        (3, "slots", 2, False),
        (None, "slots", 2, False),  # a metric beside the tree
        (None, COUNTS, 1, True),  # requested by name
    ],
)
def test_requested_events_belong_to_every_level(
    level: int | None, unit: str, cut: int | None, expected: bool
) -> None:
    assert MeasuredNode("x", level, None, 1.0, unit).within(cut) is expected
