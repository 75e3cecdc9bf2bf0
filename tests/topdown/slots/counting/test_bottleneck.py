"""Which path is marked: only what is surely greater, and over its vendor's threshold."""

from topdown.slots.counting.bottleneck import bottleneck_path
from topdown.slots.measurement import Interval, MeasuredNode


def node(name: str, value: float | None, **more: object) -> MeasuredNode:
    level = name.count("/") + 1
    parent = name.rpartition("/")[0] or None
    above = more.get("above", None if value is None else value > 0.2)
    return MeasuredNode(
        name,
        level,
        parent,
        value,
        "slots",
        above_threshold=bool(above) if above is not None else None,
        impossible=bool(more.get("impossible", False)),
    )


def exact(node: MeasuredNode, other: MeasuredNode) -> Interval:
    between = (node.value or 0) - (other.value or 0)
    return Interval(between, between)


def wide(node: MeasuredNode, other: MeasuredNode) -> Interval:
    middle = exact(node, other).low
    return Interval(middle - 0.1, middle + 0.1)


FOUR = [
    node("Frontend_Bound", 0.1),
    node("Bad_Speculation", 0.05),
    node("Backend_Bound", 0.35),
    node("Retiring", 0.5, above=False),
    node("Backend_Bound/Memory_Bound", 0.3),
    node("Backend_Bound/Core_Bound", 0.05),
]


def test_the_significantly_greatest_node_is_marked_at_each_level() -> None:
    bottleneck = bottleneck_path(FOUR, exact, thresholds=True)
    assert bottleneck.path == ("Backend_Bound", "Backend_Bound/Memory_Bound")
    assert bottleneck_path(FOUR, wide, thresholds=True).path == bottleneck.path


def test_useful_work_is_marked_only_above_a_published_threshold() -> None:
    assert (bottleneck_path(FOUR, exact, thresholds=False).path or ())[0] == "Retiring"
    busy = [node("Frontend_Bound", 0.1), node("Retiring", 0.9)]
    assert bottleneck_path(busy, exact, thresholds=True).path == ("Retiring",)


def test_siblings_within_their_error_are_not_marked() -> None:
    close = [node("Frontend_Bound", 0.3), node("Backend_Bound", 0.35)]
    bottleneck = bottleneck_path(close, wide, thresholds=True)
    assert bottleneck.path is None
    assert "differ by less than their error" in bottleneck.why
    assert bottleneck_path(close, exact, thresholds=True).path == ("Backend_Bound",)


def test_an_unknown_level_ends_the_path() -> None:
    close = [*FOUR[:4], node("Backend_Bound/a", 0.22), node("Backend_Bound/b", 0.21)]
    bottleneck = bottleneck_path(close, wide, thresholds=True)
    assert bottleneck.path == ("Backend_Bound",)
    assert "below: Backend_Bound/a and Backend_Bound/b" in bottleneck.why


def test_without_an_interval_nothing_is_marked() -> None:
    bottleneck = bottleneck_path(FOUR, lambda *_: None, thresholds=True)
    assert bottleneck.path is None
    assert "no interval" in bottleneck.why


def test_missing_or_impossible_values_are_not_marked() -> None:
    assert bottleneck_path([*FOUR[:3], node("Retiring", None)], exact, thresholds=True).path is None
    wrong = [*FOUR[:3], node("Retiring", 1.4, impossible=True)]
    assert "Retiring has no possible value" in bottleneck_path(wrong, exact, thresholds=True).why
    assert bottleneck_path([], exact, thresholds=True).path is None


def test_slots_of_the_other_thread_are_last() -> None:
    shared = [node("smt_contention", 0.6), node("backend_bound", 0.3), node("retiring", 0.1)]
    assert bottleneck_path(shared, exact, thresholds=False).path == ("backend_bound",)
    alone = [node("smt_contention", None), *shared[1:]]
    assert bottleneck_path(alone, exact, thresholds=False).path == ("backend_bound",)


def test_no_node_above_its_threshold_is_reported() -> None:
    quiet = [node("Frontend_Bound", 0.1), node("Retiring", 0.6, above=False)]
    assert bottleneck_path(quiet, exact, thresholds=True).why == (
        "no node is above its vendor's threshold"
    )
