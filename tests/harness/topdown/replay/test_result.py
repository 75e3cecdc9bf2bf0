"""Documents and tables of replayed counts."""

import csv
import io
import json

from harness.topdown.replay.result import COLUMNS, replay_list, replay_result, replay_table
from tests.documents import assert_valid
from topdown.slots.counts import EventCounts, counts_of
from topdown.slots.evaluation import Tree, evaluate
from topdown.slots.model import load

COUNTS = {"CPU_CLK_UNHALTED.THREAD": 1e6, "IDQ_UOPS_NOT_DELIVERED.CORE": 2e6}


def tree(key: str = "skl") -> Tree:
    model = load(key)
    return evaluate(model, counts_of(model, EventCounts("counts", counts=COUNTS)))


def test_a_list_has_a_document_per_reading() -> None:
    text = "".join(replay_list([tree(), tree()], None))
    assert_valid("topdown.replay", text)
    assert [document["cpu"] for document in json.loads(text)] == ["skl", "skl"]


def test_a_level_excludes_deeper_nodes_and_metrics() -> None:
    whole, top = replay_result(tree(), None).nodes, replay_result(tree(), 1).nodes
    assert {node.level for node in whole.values()} > {1, 2}
    assert {node.level for node in top.values()} == {1}
    assert top["Frontend_Bound"].value == 0.5


def test_an_unknown_value_is_an_empty_cell_with_a_reason() -> None:
    rows = list(csv.DictReader(io.StringIO("".join(replay_table([tree()], 1)))))
    assert list(rows[0]) == list(COLUMNS)
    cells = {row["node"]: (row["value"], row["warnings"]) for row in rows}
    assert cells["Frontend_Bound"][0] == "0.5"
    assert cells["Retiring"][0] == ""
    assert "UOPS_RETIRED.RETIRE_SLOTS" in cells["Retiring"][1]
