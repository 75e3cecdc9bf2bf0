"""The values of a point of the sweep."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.labs.stages.measurement import Replays, SideReplay
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import Side
from harness.labs.stages.sweep.measurement import misses_per_request, saved_ns_per_miss
from tests.harness.labs.stages.sweep.sweeps import MISSES, point


def test_a_saved_miss_is_worth_the_saved_cpu_time(tmp_path: Path) -> None:
    lab = point(StagesOptions("codec", tmp_path), 2.0)
    assert misses_per_request(MISSES, Side.UNSTAGED) == 1000
    # 100 us unstaged, 50 us staged, 800 misses fewer.
    assert saved_ns_per_miss(lab) == pytest.approx(62.5)


def test_without_saved_misses_there_is_no_worth(tmp_path: Path) -> None:
    lab = point(StagesOptions("codec", tmp_path), 2.0)
    equal = Replays(SideReplay(0.001, 640.0), SideReplay(0.001, 640.0), "model")
    assert saved_ns_per_miss(replace(lab, replays=equal)) is None
    none = Replays(None, None, "", "no valgrind")
    assert saved_ns_per_miss(replace(lab, replays=none)) is None
    assert misses_per_request(none, Side.STAGED) is None
