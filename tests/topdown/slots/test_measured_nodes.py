"""Nodes of a tree as measured nodes: order and units."""

import pytest

from topdown.slots.counts import EventCounts, counts_of
from topdown.slots.evaluation import Tree, evaluate
from topdown.slots.measured_nodes import in_reading_order, measured_nodes, unit_of
from topdown.slots.measurement import Interval
from topdown.slots.model import load

COUNTS = {"CPU_CLK_UNHALTED.THREAD": 1e6, "IDQ_UOPS_NOT_DELIVERED.CORE": 2e6}


def tree() -> Tree:
    model = load("skl")
    return evaluate(model, counts_of(model, EventCounts("counts", counts=COUNTS)))


def test_a_parent_comes_before_its_children() -> None:
    nodes = [node for node in measured_nodes(tree()) if node.level is not None]
    place = {node.name: number for number, node in enumerate(nodes)}
    assert all(place[node.parent] < place[node.name] for node in nodes if node.parent)
    assert {node.name for node in nodes} == {
        node.name for node in tree().nodes.values() if node.level is not None
    }


def test_a_node_without_its_parent_is_left_out() -> None:
    nodes = [node for node in tree().nodes.values() if node.name != "Frontend_Bound"]
    names = {node.name for node in in_reading_order(nodes)}
    assert "Fetch_Latency" not in names
    assert "Backend_Bound" in names


def test_an_interval_belongs_to_the_node_of_its_name() -> None:
    interval = Interval(0.4, 0.6)
    known = {node.name: node for node in measured_nodes(tree(), {"Frontend_Bound": interval})}
    assert known["Frontend_Bound"].interval == interval
    assert known["Frontend_Bound"].value == 0.5
    assert known["Backend_Bound"].interval is None


@pytest.mark.parametrize(("name", "unit"), [("Frontend_Bound", "slots"), ("Memory_Bound", "slots")])
def test_units_are_words(name: str, unit: str) -> None:
    assert unit_of(load("skl"), name) == unit
