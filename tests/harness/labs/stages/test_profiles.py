"""Profiles and counters of both sides, and the reasons if they are refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from harness.labs.stages import profiles as stages_profiles
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import Side
from harness.labs.stages.rounds import StagesSetup
from harness.machine_checks.check import available, unavailable
from harness.topdown.options import SlotSource, TopdownOptions
from harness.topdown.sources import TopdownRun
from stallscope.errors import StallscopeError, UnableError, UsageError
from stallscope.system_files import Roots
from tests.harness.labs.stages.measurements import CORES
from tests.harness.topdown.measurements import COUNTED
from topdown.slots.measurement import MeasuredNode
from topdown.slots.model import load


@dataclass(frozen=True, slots=True)
class FakeServer:
    pid: int


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StagesSetup:
    """A setup with simulated servers; the staged server has pid 2."""

    @contextmanager
    def saturated(setup: StagesSetup, side: Side, **options: Any) -> Iterator[FakeServer]:
        yield FakeServer(1 + (side is Side.STAGED))

    @contextmanager
    def counted(setup: StagesSetup, side: Side, name: str) -> Iterator[tuple[FakeServer, object]]:
        yield FakeServer(1 + (side is Side.STAGED)), None

    monkeypatch.setattr(stages_profiles, "saturated_server", saturated)
    monkeypatch.setattr(stages_profiles, "counted_server", counted)
    monkeypatch.setattr(stages_profiles, "pmu_check", lambda _: available("PMU", "there"))
    return StagesSetup(StagesOptions("codec", tmp_path), CORES, None)


def test_both_sides_are_counted_by_pid(setup: StagesSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[TopdownOptions] = []

    def measure_slots(request: TopdownOptions, *rest: object) -> TopdownRun:
        requests.append(request)
        return TopdownRun(COUNTED)

    monkeypatch.setattr(stages_profiles, "measure_slots", measure_slots)
    monkeypatch.setattr(stages_profiles, "model_of_identity", lambda _: None)
    sides: list[Side] = []
    counts = stages_profiles.count_sides(setup, Roots(), sides.append)
    assert sides == list(Side)
    assert [(request.source, request.choice and request.choice.pids) for request in requests] == [
        (SlotSource.PMU, (1,)), (SlotSource.PMU, (2,)),
    ]  # fmt: skip
    assert counts.sides == {Side.UNSTAGED: COUNTED, Side.STAGED: COUNTED}
    assert all(request.drill and request.level is None for request in requests)
    assert counts.icache_miss_ratio == {Side.UNSTAGED: None, Side.STAGED: None}


def test_the_instruction_cache_is_counted_if_its_events_are_known(
    setup: StagesSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages_profiles, "model_of_identity", lambda _: load("zen4"))
    counts = {"0x10000188e": 25.0, "0x100001f8e": 1000.0}
    events = tuple(
        MeasuredNode(name, None, None, value, "events") for name, value in counts.items()
    )

    def measure_slots(request: TopdownOptions, *rest: object) -> TopdownRun:
        assert request.events == tuple(counts)
        return TopdownRun(replace(COUNTED, nodes=(*COUNTED.nodes, *events)))

    monkeypatch.setattr(stages_profiles, "measure_slots", measure_slots)
    trees = stages_profiles.count_sides(setup, Roots(), lambda _: None)
    assert trees.icache_miss_ratio == dict.fromkeys(Side, 0.025)


def test_missing_counters_are_reported_with_the_reason(
    setup: StagesSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages_profiles, "pmu_check", lambda _: unavailable("PMU", "none here"))
    counts = stages_profiles.count_sides(setup, Roots(), lambda _: None)
    assert (counts.sides, counts.unavailable) == ({}, "none here")


@pytest.mark.parametrize(
    "error", [UnableError("every counter is held"), UsageError("every", "use another event")]
)
def test_counters_that_fail_later_are_reported_too(
    setup: StagesSetup, monkeypatch: pytest.MonkeyPatch, error: StallscopeError
) -> None:
    def measure_slots(request: TopdownOptions, *rest: object) -> TopdownRun:
        raise error

    monkeypatch.setattr(stages_profiles, "measure_slots", measure_slots)
    assert stages_profiles.count_sides(setup, Roots(), lambda _: None).unavailable.startswith(
        "every"
    )


def test_refused_perf_events_do_not_fail_the_lab(
    setup: StagesSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record(options: object) -> None:
        raise UnableError("perf events are refused")

    monkeypatch.setattr(stages_profiles, "record", record)
    counts = stages_profiles.profile_sides(setup, lambda _: None)
    assert (counts.recordings, counts.unavailable) == ({}, "perf events are refused")
