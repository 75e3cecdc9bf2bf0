"""Windows of counts give what the same counts replayed give, on every CPU."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.topdown.slots.counting.synthetic import groups_of_sets, steady, way_of_counts
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.estimation import Estimator
from topdown.slots.counting.plan import CountingPlan, counted_as, nodes_down_to, plan_of
from topdown.slots.counting.tree_estimate import TreeEstimate
from topdown.slots.counts import Counts
from topdown.slots.model import Model, keys, load
from topdown.slots.replay.model_readings import ModelReading, read_model_readings

VECTORS = sorted((Path(__file__).parents[1] / "vectors").glob("*.json"))


def readings() -> Iterator[ModelReading]:
    for path in VECTORS:
        yield from read_model_readings(path)


def totals_of(
    model: Model, mode: CountingMode, counts: Counts, plan: CountingPlan
) -> dict[str, float]:
    """The reading's counts under the names that the plan counts by."""
    totals = {
        counted_as(model, mode, name): value
        for name, value in counts.values.items()
        if name != "DURATION_TIME"
    }
    return {name: value for name, value in totals.items() if name in plan.events}


def estimated(reading: ModelReading, *, share: float = 1.0) -> TreeEstimate:
    mode = way_of_counts(reading.counts)
    plan = plan_of(reading.model, mode, nodes_down_to(reading.model, None))
    totals = totals_of(reading.model, mode, reading.counts, plan)
    seconds = reading.counts.values.get("DURATION_TIME", 1.0)
    groups = steady(groups_of_sets(plan), totals, seconds=seconds, share=share)
    if "TSC" in totals:  # the clock runs on while others have their turn
        groups = tuple(
            group
            if "TSC" not in group.events
            else steady([group.events], totals, seconds=seconds)[0]
            for group in groups
        )
    return TreeEstimate(reading.model, mode, plan, Estimator(groups, reading.model.cycles))


BY_TURNS = ("hsx", "skl", "spr", "zen4", "neoverse-v1")


@pytest.mark.parametrize(
    ("path", "share"),
    [
        pytest.param(path, share, id=f"{path.stem}-{share}")
        for path in VECTORS
        for share in ((1.0, 0.125) if path.stem in BY_TURNS else (1.0,))
    ],
)
def test_windows_and_replay_give_equal_trees(path: Path, share: float) -> None:
    for reading in read_model_readings(path):
        tree = reading.tree()
        estimate = estimated(reading, share=share)
        values = estimate.values(reading.model.nodes)
        counted = 0
        for name, node in tree.nodes.items():
            if node.value is None:
                continue
            result = values[name]
            # Latencies and what a plan cannot count are in some vectors; no machine counts them.
            if any("retire_latency" in warning for warning in result.warnings):
                continue
            assert result.value == pytest.approx(node.value, rel=1e-9, abs=1e-12), name
            assert result.above_threshold == node.above_threshold, name
            assert result.impossible == node.impossible, name
            counted += 1
        assert counted >= 10, reading.model.key
        ipc = estimate.ipc()
        assert (ipc is None) == (tree.ipc is None)
        if ipc is not None:
            assert ipc.value == pytest.approx(tree.ipc, rel=1e-9)


def test_every_model_has_a_vector_or_a_sister_with_one() -> None:
    have = {reading.model.cpu for reading in readings()}
    assert {load(key).cpu for key in keys()} - have <= {"neoverse-n3", "neoverse-v2", "neoverse-v3"}


def test_a_steady_program_has_no_error_however_it_was_counted() -> None:
    reading = read_model_readings(VECTORS[[path.stem for path in VECTORS].index("skl")])[0]
    for share in (1.0, 0.125):
        for node in estimated(reading, share=share).nodes(nodes_down_to(reading.model, 2)):
            if node.value is not None:
                assert node.interval is not None, node
                width = node.interval.high - node.interval.low
                assert width == pytest.approx(0, abs=1e-9), node.name


def test_a_lost_event_takes_just_its_nodes_with_it() -> None:
    reading = read_model_readings(VECTORS[[path.stem for path in VECTORS].index("skl")])[0]
    whole = estimated(reading)
    kept = tuple(group for group in whole.estimator.groups if "UOPS_ISSUED.ANY" not in group.events)
    lost = TreeEstimate(
        reading.model,
        whole.mode,
        whole.plan,
        Estimator(kept, reading.model.cycles),
        {"UOPS_ISSUED.ANY": "UOPS_ISSUED.ANY: the kernel refuses it (EINVAL)"},
    )
    nodes = {node.name: node for node in lost.nodes(nodes_down_to(reading.model, 1))}
    assert nodes["Frontend_Bound"].value is not None
    assert nodes["Bad_Speculation"].value is None
    assert "UOPS_ISSUED.ANY: the kernel refuses it (EINVAL)" in nodes["Bad_Speculation"].warnings[0]
