"""Profiles and counters of both sides: what is asked for, and what is said where it is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.labs.stages import profiles as stages_profiles
from harness.labs.stages.plan import Side, StagesOptions
from harness.labs.stages.rounds import Bench
from harness.machine_checks.check import available, unavailable
from harness.topdown.engine import Taken
from harness.topdown.request import Request, Source
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from tests.harness.labs.stages.results import CORES
from tests.harness.topdown.measurements import COUNTED


@dataclass(frozen=True, slots=True)
class FakeServer:
    pid: int


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench whose servers are saturated in word only; the staged one has pid 2."""

    @contextmanager
    def saturated(bench: Bench, side: Side, **more: Any) -> Iterator[FakeServer]:
        yield FakeServer(1 + (side is Side.STAGED))

    monkeypatch.setattr(stages_profiles, "saturated", saturated)
    monkeypatch.setattr(stages_profiles, "pmu_check", lambda _: available("PMU", "there"))
    return Bench(StagesOptions("codec", tmp_path), CORES, None)


def test_both_sides_are_counted_by_pid(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []

    def take(request: Request, on_slice: object) -> Taken:
        asked.append(request)
        return Taken(COUNTED)

    monkeypatch.setattr(stages_profiles, "take", take)
    told: list[Side] = []
    found = stages_profiles.count_sides(bench, Roots(), told.append)
    assert told == list(Side)
    assert [(one.source, one.choice and one.choice.pids) for one in asked] == [
        (Source.PMU, (1,)), (Source.PMU, (2,)),
    ]  # fmt: skip
    assert found.sides[Side.STAGED].values == {
        "IPC": 0.79, "Frontend_Bound": 0.128, "Bad_Speculation": 0.122, "Backend_Bound": 0.55,
        "Retiring": 0.2,
    }  # fmt: skip


def test_without_counters_the_reason_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages_profiles, "pmu_check", lambda _: unavailable("PMU", "none here"))
    found = stages_profiles.count_sides(bench, Roots(), lambda _: None)
    assert (found.sides, found.why_not) == ({}, "none here")


def test_counters_that_fail_later_are_told_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(request: Request, on_slice: object) -> Taken:
        raise UnableError("every counter is held")

    monkeypatch.setattr(stages_profiles, "take", take)
    assert stages_profiles.count_sides(bench, Roots(), lambda _: None).why_not.startswith("every")


def test_refused_perf_events_leave_the_rounds_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record(options: object) -> None:
        raise UnableError("perf events are refused")

    monkeypatch.setattr(stages_profiles, "record", record)
    found = stages_profiles.profile_sides(bench, lambda _: None)
    assert (found.recordings, found.why_not) == ({}, "perf events are refused")
