"""Categories of the first level by the vendors' names."""

import pytest

from harness.topdown.categories import BACKEND, BAD_SPECULATION, FRONTEND, OTHER, RETIRING, category


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("Frontend_Bound", FRONTEND),
        ("frontend_bound", FRONTEND),
        ("backend_stalled_cycles", BACKEND),
        ("Bad_Speculation", BAD_SPECULATION),
        ("retiring", RETIRING),
        ("smt_contention", OTHER),
    ],
)
def test_a_node_has_the_category_of_its_prefix(node: str, expected: object) -> None:
    assert category(node) is expected


def test_categories_are_distinct_without_colours() -> None:
    categories = (RETIRING, BAD_SPECULATION, FRONTEND, BACKEND, OTHER)
    assert len({item.fill for item in categories}) == len(categories)
    assert len({item.picture for item in categories}) == len(categories)
