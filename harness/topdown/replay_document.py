"""ModelReading trees of slots for scripts: a JSON list, and a CSV table."""

import csv
import io
import json
from collections.abc import Iterable, Iterator

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


def replay_elements(trees: Iterable[Tree], level: int | None) -> Iterator[str]:
    """Yield the JSON list's text, one element a reading; with a level, no node below it.

    Values are shares of 0..1 on Intel and AMD, percent on Arm; null where warnings say why.
    """
    mark = "["
    for tree in trees:
        element = {
            "schema": SCHEMA,
            "cpu": tree.model.cpu,
            "nodes": {
                node.name: {
                    "value": node.value,
                    "level": node.level,
                    "parent": node.parent,
                    "above_threshold": node.above_threshold,
                    "warnings": node.warnings,
                }
                for node in shown_nodes(tree, level)
            },
        }
        yield mark + json.dumps(element, allow_nan=False)
        mark = ",\n"
    yield "]\n"


def shown_nodes(tree: Tree, level: int | None) -> list[NodeValue]:
    """Return the nodes down to a level; all of them, and the metrics beside, without one."""
    return [
        node
        for node in tree.nodes.values()
        if level is None or (node.level is not None and node.level <= level)
    ]


def replay_rows(trees: Iterable[Tree], level: int | None) -> Iterator[str]:
    """Yield the CSV table's text: one line a node; empty cells are what is not known."""
    yield ",".join(COLUMNS) + "\n"
    for place, tree in enumerate(trees):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
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
        yield text.getvalue()
