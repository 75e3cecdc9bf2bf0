"""Trees of slots for scripts: the JSON list and the CSV table of `stallscope topdown`."""

import csv
import io
from collections.abc import Iterable

from topdown.slots.evaluation import NodeValue, Tree

SCHEMA = "stallscope.topdown.replay/1"
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


def replay_document(trees: Iterable[Tree], level: int | None) -> list[dict[str, object]]:
    """Return the JSON list: one element a reading; with a level, no node below it.

    Values are shares of 0..1 on Intel and AMD, percent on Arm; null where warnings say why.
    """
    return [
        {
            "schema": SCHEMA,
            "cpu": tree.model.cpu,
            "nodes": {
                node.name: {
                    "value": node.value,
                    "level": node.level,
                    "parent": node.parent,
                    "above_threshold": node.above_threshold,
                    "warnings": list(node.warnings),
                }
                for node in shown_nodes(tree, level)
            },
        }
        for tree in trees
    ]


def shown_nodes(tree: Tree, level: int | None) -> list[NodeValue]:
    """Return the nodes down to a level; all of them, and the metrics beside, without one."""
    return [
        node
        for node in tree.nodes.values()
        if level is None or (node.level is not None and node.level <= level)
    ]


def replay_table(trees: Iterable[Tree], level: int | None) -> str:
    """Return the CSV table: one line a node; empty cells are what is not known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for place, tree in enumerate(trees):
        for node in shown_nodes(tree, level):
            unit = tree.model.nodes[node.name].domain if tree.model.unit == "percent" else "share"
            writer.writerow(
                (
                    place,
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
    return text.getvalue()
