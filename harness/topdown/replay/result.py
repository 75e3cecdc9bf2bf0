"""The result of a replay: a tree per reading, as a JSON list or a CSV table."""

import csv
import io
from collections.abc import Iterable, Iterator

from stallscope.documents import Count, Document, Number, Record, encode
from topdown.slots.evaluation import NodeValue, Tree

COLUMNS = (
    "reading",
    "cpu",
    "node",
    "value",
    "unit",
    "level",
    "parent",
    "above_threshold",
    "warnings",
)


class ReplayNode(Record, frozen=True, kw_only=True):
    """A node of the tree, or a metric beside it with level None.

    If the value is None, the warnings contain the reason.
    """

    value: Number | None
    level: Count | None
    parent: str | None
    above_threshold: bool | None
    warnings: tuple[str, ...]


class ReplayResult(Document, frozen=True, kw_only=True, tag="stallscope.topdown.replay/1"):
    """The tree of one reading: shares of 0..1 on Intel and AMD, percent on Arm."""

    cpu: str
    nodes: dict[str, ReplayNode]


def replay_result(tree: Tree, level: int | None) -> ReplayResult:
    """Return the result of a reading; a level excludes deeper nodes and metrics."""
    return ReplayResult(
        cpu=tree.model.cpu,
        nodes={
            node.name: ReplayNode(
                value=node.value,
                level=node.level,
                parent=node.parent,
                above_threshold=node.above_threshold,
                warnings=node.warnings,
            )
            for node in nodes_to_level(tree, level)
        },
    )


def replay_list(trees: Iterable[Tree], level: int | None) -> Iterator[str]:
    """Yield the text of a JSON list with one result per reading."""
    separator = "["
    for tree in trees:
        yield separator + encode(replay_result(tree, level))
        separator = ",\n"
    yield "]\n"


def nodes_to_level(tree: Tree, level: int | None) -> list[NodeValue]:
    """Return the nodes down to a level, or without a level all nodes and metrics."""
    return [
        node
        for node in tree.nodes.values()
        if level is None or (node.level is not None and node.level <= level)
    ]


def replay_table(trees: Iterable[Tree], level: int | None) -> Iterator[str]:
    """Yield the text of a CSV table with one line per node; unknown values are empty."""
    yield ",".join(COLUMNS) + "\n"
    for number, tree in enumerate(trees):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for node in nodes_to_level(tree, level):
            unit = tree.model.nodes[node.name].domain if tree.model.unit == "percent" else "share"
            writer.writerow(
                (
                    number,
                    tree.model.cpu,
                    node.name,
                    "" if node.value is None else repr(node.value),
                    unit,
                    "" if node.level is None else node.level,
                    node.parent or "",
                    "" if node.above_threshold is None else str(node.above_threshold).lower(),
                    "; ".join(node.warnings),
                )
            )
        yield text.getvalue()
