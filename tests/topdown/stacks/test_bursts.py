"""Periods that differ from the rest of a recording."""

import numpy as np
import pytest

from tests.profile_builder import ProfileBuilder
from topdown.stacks.bursts import Burst, find_bursts
from topdown.stacks.profile import Profile
from topdown.stacks.sample_times import SampleTimes

SECOND = 1_000_000_000
NORMAL = [("main", "serve", "parse"), ("main", "serve", "reply"), ("main", "idle", "memcpy")]
CULPRIT = ("main", "compact", "memcpy")
MINUTES_30 = 1800.0


def profile_with(
    burst: tuple[float, float] | None, *, share: float = 0.7, seconds: float = MINUTES_30,
    rate: int = 99, seed: int = 1,
) -> tuple[Profile, SampleTimes]:  # fmt: skip
    """Return a profile with samples at ``rate``; ``compact`` has ``share`` of those in the burst."""
    random = np.random.default_rng(seed)
    count = int(seconds * rate)
    time_s = np.sort(random.random(count) * seconds)
    kind = random.choice(3, count, p=[0.5, 0.3, 0.2])
    if burst is not None:
        inside = (time_s >= burst[0]) & (time_s < burst[1])
        kind[inside & (random.random(count) < share)] = 3
    chains = [*NORMAL, CULPRIT]
    builder = ProfileBuilder()
    profile = builder.build([(chain, int((kind == n).sum())) for n, chain in enumerate(chains)])
    nodes = np.array([builder._node(chain) for chain in chains], np.int32)
    return profile, SampleTimes(
        (time_s * SECOND).astype(np.int64),
        nodes[kind],
        np.zeros(count, np.int32),
        np.ones(count, np.int64),
    )


def name_of(profile: Profile, burst: Burst) -> str:
    return profile.functions[burst.function].name


@pytest.mark.parametrize("begin", [0.0, 612.3, 1795.0])
@pytest.mark.parametrize("rate", [99, 499])
def test_one_burst_of_5_s_in_30_minutes_is_found_within_1_s(begin: float, rate: int) -> None:
    profile, times = profile_with((begin, begin + 5), rate=rate)
    (burst,) = find_bursts(profile, times)
    assert name_of(profile, burst) == "compact"
    assert burst.begin_ns / SECOND == pytest.approx(begin, abs=1)
    assert burst.end_ns / SECOND == pytest.approx(begin + 5, abs=1)
    assert burst.inside >= 0.6
    assert burst.overall < 0.02


def test_a_steady_recording_has_no_bursts() -> None:
    for seed in range(5):
        assert find_bursts(*profile_with(None, seed=seed)) == ()


def test_a_function_that_is_hot_for_half_of_the_recording_is_not_a_burst() -> None:
    assert find_bursts(*profile_with((0, 900), share=0.5)) == ()


def test_a_higher_load_of_the_same_work_is_not_a_burst() -> None:
    profile, times = profile_with(None)
    inside = (times.time_ns > 600 * SECOND) & (times.time_ns < 610 * SECOND)
    order = np.sort(np.append(np.arange(len(inside)), np.repeat(np.flatnonzero(inside), 20)))
    busier = SampleTimes(
        times.time_ns[order], times.node[order], times.thread[order], times.value[order]
    )
    assert find_bursts(profile, busier) == ()


def test_few_samples_have_no_bursts() -> None:
    assert find_bursts(*profile_with((1, 2), seconds=3, rate=3)) == ()


def test_the_start_of_a_short_program_is_not_a_burst() -> None:
    assert find_bursts(*profile_with((0, 0.3), seconds=2, rate=999)) == ()


@pytest.mark.parametrize("burst", [(0.0, 0.1), (14.95, 15.0)])
def test_the_start_and_the_end_of_a_program_are_not_bursts(burst: tuple[float, float]) -> None:
    assert find_bursts(*profile_with(burst, share=1.0, seconds=15, rate=9999)) == ()


def test_a_function_that_takes_a_few_milliseconds_once_is_not_a_burst() -> None:
    assert find_bursts(*profile_with((7.0, 7.05), share=0.1, seconds=15, rate=9999)) == ()


def test_a_burst_of_50_ms_in_the_middle_of_a_program_is_found() -> None:
    profile, times = profile_with((7.0, 7.05), share=0.9, seconds=15, rate=9999)
    (burst,) = find_bursts(profile, times)
    assert name_of(profile, burst) == "compact"
    assert (burst.begin_ns, burst.end_ns) == (7 * SECOND, 7 * SECOND + SECOND // 20)
