"""The marked branch: the greatest node above its threshold at each level."""

from types import SimpleNamespace
from typing import Any

from topdown.slots.evaluation import NodeValue
from topdown.slots.threshold_path import has_thresholds, path_by_thresholds


def tree(*nodes: Any) -> Any:
    return SimpleNamespace(nodes={node.name: node for node in nodes})


def node(name: str, level: int, value: float, parent: str | None = None, **more: bool) -> Any:
    return SimpleNamespace(
        name=name,
        level=level,
        value=value,
        parent=parent,
        above_threshold=more.get("above", True),
        impossible=more.get("impossible", False),
    )


def names(nodes: tuple[NodeValue, ...]) -> list[str]:
    return [item.name for item in nodes]


def test_the_path_follows_the_greatest_child_of_the_marked_parent() -> None:
    path = path_by_thresholds(
        tree(
            node("A", 1, 0.3),
            node("B", 1, 0.5),
            node("A.big", 2, 0.9, "A"),
            node("B.small", 2, 0.1, "B"),
            node("B.big", 2, 0.4, "B"),
        )
    )
    assert names(path) == ["B", "B.big"]


def test_nodes_below_their_threshold_are_left_out() -> None:
    assert path_by_thresholds(tree(node("A", 1, 0.9, above=False))) == ()


def test_an_impossible_value_ends_the_path() -> None:
    path = path_by_thresholds(tree(node("A", 1, 0.5), node("A.x", 2, 2.0, "A", impossible=True)))
    assert names(path) == ["A"]


def test_a_model_without_thresholds_has_no_path() -> None:
    nodes = {"A": SimpleNamespace(threshold=None)}
    without = SimpleNamespace(model=SimpleNamespace(nodes=nodes), nodes={})
    assert not has_thresholds(without.model)  # type: ignore[arg-type]
    assert path_by_thresholds(without) == ()  # type: ignore[arg-type]
