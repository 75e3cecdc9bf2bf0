"""Flagged slots and the events that locate them, with a sampler that needs no PMU."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.profile.analysis import Analysis
from harness.profile.locating import MAX_EVENTS, events_of, flagged, locate
from harness.profile.text import located_lines
from stallscope.errors import UnableError
from topdown.slots.function_slots import FunctionSlots, SlotsByFunction
from topdown.slots.measurement import MeasuredNode
from topdown.slots.model import load
from topdown.stacks.profile import Profile
from topdown.stacks.ranking import rank
from topdown.stacks.sample_counts import ExcludedSamples


def slots_with(*nodes: MeasuredNode) -> SlotsByFunction:
    total = FunctionSlots(-1, 100, {}, None, nodes, float("nan"), None, few=False)
    return SlotsByFunction(
        (), "cycles", "spr", "Sapphire Rapids", 1.0, total, (), (), ExcludedSamples(), 1.0, 0.0
    )


def node(name: str, level: int, above: bool | None, impossible: bool = False) -> MeasuredNode:
    return MeasuredNode(name, level, None, 0.5, "slots", above, impossible=impossible)


def test_the_deepest_node_above_its_threshold_comes_first() -> None:
    nodes = (
        node("Backend_Bound", 1, True),
        node("Retiring", 1, False),
        node("Memory_Bound", 2, True),
        node("Core_Bound", 2, None),
        node("Bad_Speculation", 1, True, impossible=True),
    )
    assert flagged(slots_with(*nodes)) == ("Memory_Bound", "Backend_Bound")
    assert flagged(None) == ()


def test_an_event_of_several_nodes_is_sampled_once() -> None:
    spr = load("spr")
    pairs = events_of(spr, ("Fetch_Latency", "Frontend_Bound", "Fetch_Latency"))
    assert pairs[0] == ("Fetch_Latency", "FRONTEND_RETIRED.LATENCY_GE_16")
    assert ("Frontend_Bound", "FRONTEND_RETIRED.LATENCY_GE_4") in pairs
    assert len({event for _, event in pairs}) == len(pairs)


def test_functions_and_refusals_are_listed_by_event(
    tmp_path: Path, profile_of: Callable[..., Profile]
) -> None:
    profile = profile_of([(("main", "chase"), 90), (("main",), 10)])
    samplings: list[tuple[str, Path]] = []

    def sample(event: str, output: Path) -> Analysis:
        samplings.append((event, output))
        if len(samplings) == 2:
            raise UnableError("the kernel refused to sample it: EINVAL", "another event")
        return Analysis(profile, rank(profile))

    located = locate(load("spr"), ("Fetch_Latency",), tmp_path, sample)
    event = load("spr").events["FRONTEND_RETIRED.LATENCY_GE_16"].replace("/", ":")
    assert samplings[0] == (
        f"FRONTEND_RETIRED.LATENCY_GE_16=4:{event}",
        tmp_path / "locate-FRONTEND-RETIRED-LATENCY-GE-16",
    )
    assert [function.name for function in located[0].functions] == ["chase", "main"]
    assert located[0].functions[0].self_share == pytest.approx(0.9)
    assert located[0].unavailable is None
    assert "EINVAL" in str(located[1].unavailable)
    lines = "\n".join(located_lines(located))
    assert "90.0 %  chase" in lines
    assert "EINVAL" in lines
    assert located[1].functions == ()


def test_the_number_of_sampled_events_is_limited(tmp_path: Path) -> None:
    spr = load("spr")
    nodes = tuple(node.name for node in spr.nodes.values() if node.locate_with)[:12]

    def refuse(event: str, output: Path) -> Analysis:
        raise UnableError(f"no {event}", "")

    located = locate(spr, nodes, tmp_path, refuse)
    reasons = [str(event.unavailable) for event in located]
    assert len([reason for reason in reasons if reason.startswith("no ")]) <= MAX_EVENTS
    assert "None" not in reasons


def test_the_text_without_flagged_nodes() -> None:
    assert "no node above its threshold" in located_lines(())[0]
