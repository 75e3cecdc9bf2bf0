"""Flagged slots and the events that locate them, with a sampler that needs no PMU."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.profile.analysis import Analysis
from harness.profile.located import document, text
from harness.profile.locating import MOST_EVENTS, events_of, flagged, locate
from stallscope.errors import UnableError
from topdown.slots.function_slots import FunctionSlots, SlotsByFunction
from topdown.slots.measurement import MeasuredNode
from topdown.slots.model import load
from topdown.stacks.profile import Profile
from topdown.stacks.ranking import rank
from topdown.stacks.sample_counts import ExcludedSamples


def found(*nodes: MeasuredNode) -> SlotsByFunction:
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
    assert flagged(found(*nodes)) == ("Memory_Bound", "Backend_Bound")
    assert flagged(None) == ()


def test_each_node_that_names_an_event_has_it_sampled_once() -> None:
    spr = load("spr")
    pairs = events_of(spr, ("Fetch_Latency", "Frontend_Bound", "Fetch_Latency"))
    assert pairs[0] == ("Fetch_Latency", "FRONTEND_RETIRED.LATENCY_GE_16")
    assert ("Frontend_Bound", "FRONTEND_RETIRED.LATENCY_GE_4") in pairs
    assert len({event for _, event in pairs}) == len(pairs)


def test_functions_and_refusals_are_listed_by_event(
    tmp_path: Path, profile_of: Callable[..., Profile]
) -> None:
    profile = profile_of([(("main", "chase"), 90), (("main",), 10)])
    asked: list[tuple[str, Path]] = []

    def sample(event: str, into: Path) -> Analysis:
        asked.append((event, into))
        if len(asked) == 2:
            raise UnableError("the kernel refused to sample it: EINVAL", "another event")
        return Analysis(profile, rank(profile), {})

    located = locate(load("spr"), ("Fetch_Latency",), tmp_path, sample)
    event = load("spr").events["FRONTEND_RETIRED.LATENCY_GE_16"].replace("/", ":")
    assert asked[0] == (
        f"FRONTEND_RETIRED.LATENCY_GE_16=4:{event}",
        tmp_path / "locate-FRONTEND-RETIRED-LATENCY-GE-16",
    )
    assert [place.function for place in located[0].places] == ["chase", "main"]
    assert located[0].places[0].share == pytest.approx(0.9)
    assert "EINVAL" in located[1].why
    lines = "\n".join(text(located))
    assert "90.0 %  chase" in lines
    assert "EINVAL" in lines
    rows = document(located)
    assert rows[0]["unavailable"] is None
    assert "EINVAL" in str(rows[1]["unavailable"])
    assert rows[1]["functions"] == []


def test_no_more_events_are_sampled_than_a_person_waits_for(tmp_path: Path) -> None:
    spr = load("spr")
    nodes = tuple(each.name for each in spr.nodes.values() if each.locate_with)[:12]

    def refuse(event: str, into: Path) -> Analysis:
        raise UnableError(f"no {event}", "")

    located = locate(spr, nodes, tmp_path, refuse)
    assert len([each for each in located if each.why.startswith("no ")]) <= MOST_EVENTS
    assert all(each.why for each in located)


def test_nothing_flagged_is_said() -> None:
    assert "nothing is over its threshold" in text(())[0]
