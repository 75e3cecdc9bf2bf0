"""The slot trees of both sides as documents."""

from harness.labs.stages.measurement import SlotTrees
from harness.labs.stages.plan import Side
from harness.labs.stages.slot_documents import slot_documents, tree_ipc
from tests.harness.topdown.measurements import COUNTED


def test_missing_slots_are_unavailable_with_the_reason() -> None:
    documents = slot_documents(SlotTrees({}, "no counters"))
    assert list(documents) == list(Side)
    for tree in documents.values():
        assert (tree.kind, tree.nodes, tree.bottleneck_why) == ("unavailable", {}, "no counters")
        assert tree_ipc(tree) is None


def test_each_side_has_its_tree() -> None:
    documents = slot_documents(SlotTrees(dict.fromkeys(Side, COUNTED)))
    assert tree_ipc(documents[Side.STAGED]) == 0.79
    assert documents[Side.STAGED].kind == "measured"
