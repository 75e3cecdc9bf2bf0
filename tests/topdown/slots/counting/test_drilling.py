"""What lies below a marked node, counted by itself and put in its place."""

from topdown.slots.counting.drilling import merged_measurement, nodes_below
from topdown.slots.measurement import Kind, MeasuredNode, Measurement
from topdown.slots.model import load

MODEL = load("skl")


def measured(names: list[str], path: tuple[str, ...] | None) -> Measurement:
    nodes = tuple(
        MeasuredNode(name, MODEL.nodes[name].level, MODEL.nodes[name].parent, 0.1, "slots")
        for name in names
    )
    return Measurement(Kind.MEASURED, "", "skl", "", 1.0, nodes, None, "", path, "by test")


FIRST = measured(
    ["Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Memory_Bound", "Core_Bound"],
    ("Backend_Bound", "Memory_Bound"),
)


def test_the_path_its_siblings_and_its_children_are_counted() -> None:
    selected = nodes_below(MODEL, FIRST, "Memory_Bound")
    assert {"Frontend_Bound", "Memory_Bound", "Core_Bound", "L1_Bound", "DRAM_Bound"} <= set(
        selected
    )
    assert "ICache_Misses" not in selected
    assert "Fetch_Latency" not in selected
    assert nodes_below(MODEL, FIRST, "Backend_Bound") == ()  # its children are measured already
    assert nodes_below(MODEL, FIRST, "Store_Fwd_Blk") == ()  # has none


def test_new_nodes_follow_their_parent() -> None:
    deeper = ("Backend_Bound", "Memory_Bound", "L1_Bound")
    again = measured(["Memory_Bound", "L1_Bound", "DRAM_Bound"], deeper)
    result = merged_measurement(FIRST, again)
    assert [node.name for node in result.nodes] == [
        *("Frontend_Bound", "Bad_Speculation", "Backend_Bound"),
        *("Memory_Bound", "L1_Bound", "DRAM_Bound", "Core_Bound"),
    ]
    assert result.bottleneck == deeper
    assert ("drilled", "below Memory_Bound: measured separately") in result.facts


def test_another_branch_in_the_second_measurement_gives_a_warning() -> None:
    result = merged_measurement(FIRST, measured(["L1_Bound"], ("Frontend_Bound",)))
    assert result.nodes == FIRST.nodes
    assert result.bottleneck == FIRST.bottleneck
    assert "marked another branch: Frontend_Bound" in result.warnings[0]
    assert "branch: none" in merged_measurement(FIRST, measured([], None)).warnings[0]
