"""Frames coloured by slots in a browser."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from harness.profile.page import PageContent
from topdown.slots.function_slots import slots_by_function
from topdown.slots.model import load
from topdown.stacks.profile import Profile
from topdown.stacks.sample_counts import ExcludedSamples, SampleCounts

pytestmark = pytest.mark.browser

Open = Callable[..., Any]
EVENTS = (
    "TOPDOWN.SLOTS:perf_metrics", "cycles", "INST_RETIRED.ANY", "PERF_METRICS.RETIRING",
    "PERF_METRICS.BAD_SPECULATION", "PERF_METRICS.FRONTEND_BOUND", "PERF_METRICS.BACKEND_BOUND",
    "INT_MISC.UOP_DROPPING",
)  # fmt: skip
# Instructions, then slots retired, lost to bad speculation, frontend and backend, of 600.
COUNTS = {
    "multiply": (380, 460, 20, 40, 80),
    "chase": (40, 50, 10, 20, 520),
    "sort": (140, 170, 300, 80, 50),
    "dispatch": (150, 180, 40, 300, 80),
    "rare": (100, 100, 100, 100, 300),
}
ROWS = [
    (("main", "serve", "multiply"), 400),
    (("main", "serve", "chase"), 300),
    (("main", "sort"), 150),
    (("main", "dispatch"), 100),
    (("main", "dispatch", "rare"), 5),
]


def counted(profile: Profile, of: tuple[str, ...]) -> Profile:
    """The profile with given counts of its samples, for the events in ``of``."""
    nodes = np.repeat(profile.weight_node, profile.weight_samples)
    names = [profile.functions[profile.node_function[node]].name for node in nodes]
    rows = [(600, 100, *COUNTS[name], 0) for name in names]
    columns = [EVENTS.index(event) for event in of]
    return replace(
        profile,
        counted=SampleCounts(
            events=of,
            sampled=of.index("cycles"),
            delta=np.array(rows, float)[:, columns],
            used=np.ones(len(rows), np.bool_),
            before=np.arange(-1, len(rows) - 1),
            node=nodes.astype(np.int32),
            left_out=ExcludedSamples(),
            running=1.0,
            gap_share=0.0,
        ),
    )


@pytest.fixture
def page(opened: Open, profile_of: Callable[..., Profile]) -> Any:
    profile = counted(profile_of(ROWS), EVENTS)
    return opened(profile, PageContent(slots=slots_by_function(profile, load("spr"))))


def test_colours_show_the_category_with_most_slots(page: Any) -> None:
    by_place = {name: tuple(page.pixel(name)) for name in ("multiply", "chase", "sort", "dispatch")}
    page.click("by-slots")
    by_slots = {name: tuple(page.pixel(name)) for name in by_place}
    assert len(set(by_slots.values())) == 4
    assert all(by_slots[name] != by_place[name] for name in by_place)
    green, orange = by_slots["multiply"], by_slots["chase"]
    assert green[1] == max(green)  # retiring
    assert orange[0] == max(orange)  # backend bound
    assert orange[2] == min(orange)
    page.click("by-place")
    assert tuple(page.pixel("chase")) == by_place["chase"]


def test_callers_have_the_pale_colour_of_their_callees(page: Any) -> None:
    page.click("by-slots")
    own, called = page.pixel("chase"), page.pixel("serve")
    assert own != called
    assert max(called) - min(called) < max(own) - min(own)
    assert page.pixel("rare") == page.pixel("all")  # grey: not known


def test_the_legend_names_categories_with_their_shares(page: Any) -> None:
    page.click("by-slots")
    text = page.element("legend").text
    assert "retiring 41.9 %" in text
    assert "backend bound 31.4 %" in text
    assert "frontend bound 10.5 %" in text
    assert "not known 0.52 %" in text
    page.keys("s")
    assert "user" in page.element("legend").text


def test_the_table_is_shown_without_script(page: Any) -> None:
    text = page.element("by-function").text
    assert "IPC and slots by function" in text
    assert "Sapphire Rapids" in text
    assert "86.7 %" in text
    assert "fewer than 30 samples" in text


def test_a_frame_shows_its_slots(page: Any) -> None:
    page.run("stallscope.view.update({selected: stallscope.view.profile.functions"
             ".findIndex((each) => each.name === 'chase')})")  # fmt: skip
    page.settled()
    assert "IPC 0.40" in page.element("detail-body").text
    assert "backend 86.7 %" in page.element("detail-body").text


def test_without_slots_ipc_colours(opened: Open, profile_of: Callable[..., Profile]) -> None:
    profile = counted(profile_of(ROWS), ("cycles", "INST_RETIRED.ANY"))
    page = opened(profile, PageContent(slots=slots_by_function(profile, load("neoverse-n1"))))
    assert page.element("by-slots").text == "By IPC"
    page.click("by-slots")
    assert "IPC of 2 and more 41.9 %" in page.element("legend").text
    assert page.pixel("multiply") != page.pixel("chase")


def test_pages_without_counts_have_no_slot_colours(
    opened: Open, profile_of: Callable[..., Profile]
) -> None:
    page = opened(profile_of(ROWS))
    assert not page.element("colouring").is_displayed()
    page.keys("s")
    assert not page.run("return stallscope.view.state.bySlots")
