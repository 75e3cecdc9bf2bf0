"""IPC and slots by function, from sums whose truth is planted."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from topdown.slots.function_slots import MIN_SAMPLES, SlotsByFunction, slots_by_function
from topdown.slots.model import load
from topdown.stacks.profile import Profile
from topdown.stacks.sample_counts import ExcludedSamples, SampleCounts

SPR = (
    "TOPDOWN.SLOTS:perf_metrics",
    "cycles",
    "INST_RETIRED.ANY",
    "PERF_METRICS.RETIRING",
    "PERF_METRICS.BAD_SPECULATION",
    "PERF_METRICS.FRONTEND_BOUND",
    "PERF_METRICS.BACKEND_BOUND",
    "INT_MISC.UOP_DROPPING",
)
PROFILE = [(("main", "compute"), 100), (("main", "wait"), 100), (("main", "rare"), 3)]


def leaf(profile: Profile, name: str) -> int:
    """The node of a function that stands nowhere else."""
    (function,) = [i for i, f in enumerate(profile.functions) if f.name == name]
    (node,) = np.flatnonzero(profile.node_function == function)
    return int(node)


def counted(
    profile: Profile, events: tuple[str, ...], rows: Sequence[tuple[str, list[float]]]
) -> Profile:
    """The profile with one sample a row: its function, and what was counted."""
    count = len(rows)
    return replace(
        profile,
        counted=SampleCounts(
            events=events,
            sampled=events.index("cycles"),
            delta=np.array([delta for _, delta in rows], float),
            used=np.ones(count, np.bool_),
            before=np.arange(-1, count - 1),
            node=np.array([leaf(profile, name) for name, _ in rows], np.int32),
            left_out=ExcludedSamples(),
            running=1.0,
            gap_share=0.0,
        ),
    )


def by_name(slots: SlotsByFunction, profile: Profile) -> dict[str, object]:
    return {profile.functions[function.index].name: function for function in slots.functions}


@pytest.fixture
def profile(profile_of: Callable[..., Profile]) -> Profile:
    return profile_of(PROFILE)


def test_ipc_is_that_of_the_sums_with_its_spread(profile: Profile) -> None:
    rows = [("compute", [100.0, 200.0]), ("wait", [100.0, 20.0])] * 50
    rows[0] = ("compute", [100.0, 150.0])
    draft = counted(profile, ("cycles", "instructions"), rows)
    result = slots_by_function(draft)
    assert result is not None
    compute, wait = (by_name(result, profile)[name] for name in ("compute", "wait"))
    assert compute.ipc.value == pytest.approx((49 * 200 + 150) / 5000)
    assert compute.ipc.interval.low < compute.ipc.value < compute.ipc.interval.high
    assert wait.ipc.value == pytest.approx(0.2)
    assert wait.ipc.interval.high - wait.ipc.interval.low == pytest.approx(0, abs=1e-9)
    assert result.total.ipc.value == pytest.approx((49 * 200 + 150 + 50 * 20) / 10_000)
    assert result.cpu is None
    assert wait.dominating is None


def test_the_spread_covers_the_truth_as_often_as_it_says(profile: Profile) -> None:
    random = np.random.default_rng(4)
    covered = 0
    for _ in range(100):
        cycles = random.normal(100, 10, 60)
        instructions = cycles * 1.5 + random.normal(0, 20, 60)
        rows = [("compute", [c, i]) for c, i in zip(cycles, instructions, strict=True)]
        result = slots_by_function(counted(profile, ("cycles", "instructions"), rows))
        interval = result.functions[0].ipc.interval
        covered += interval.low <= 1.5 <= interval.high
    assert 85 <= covered <= 100


def test_slots_are_the_formulas_of_the_sums(profile: Profile) -> None:
    def counts(retiring: float, backend: float) -> list[float]:
        rest = (600 - retiring - backend) / 2
        return [600.0, 100.0, 120.0, retiring, rest, rest, backend, 0.0]

    rows = [("compute", counts(480, 60)), ("wait", counts(60, 480))] * MIN_SAMPLES
    result = slots_by_function(counted(profile, SPR, rows), load("spr"))
    assert result is not None
    assert result.cpu == "spr"
    functions = by_name(result, profile)
    assert functions["compute"].dominating == "Retiring"
    assert functions["wait"].dominating == "Backend_Bound"
    assert functions["wait"].node("Backend_Bound").value == pytest.approx(0.8)
    assert functions["wait"].node("Backend_Bound").interval is not None
    assert result.total.node("Retiring").value == pytest.approx(0.45)
    tops = [node.value for node in result.total.nodes if node.level == 1]
    assert sum(tops) == pytest.approx(1)


def test_formulas_are_not_used_without_their_events(
    profile: Profile,
) -> None:
    rows = [("compute", [100.0, 50.0])] * MIN_SAMPLES
    result = slots_by_function(counted(profile, ("cycles", "instructions"), rows), load("spr"))
    assert result.cpu is None
    assert result.total.ipc.value == 0.5


def test_too_few_samples_give_no_ratio(profile: Profile) -> None:
    rows = [("compute", [100.0, 50.0])] * MIN_SAMPLES + [("rare", [100.0, 50.0])]
    result = slots_by_function(counted(profile, ("cycles", "instructions"), rows))
    rare = by_name(result, profile)["rare"]
    assert rare.few
    assert rare.ipc is None
    assert rare.counts == {"cycles": 100.0, "instructions": 50.0}


def test_counts_between_samples_of_two_functions_are_marked(profile: Profile) -> None:
    rows = [(("compute", "wait")[n // 40], [100.0, 100.0]) for n in range(80)]
    result = slots_by_function(counted(profile, ("cycles", "instructions"), rows))
    assert by_name(result, profile)["wait"].same_share == pytest.approx(39 / 40)
    mixed = [(("compute", "wait")[n % 2], [100.0, 100.0]) for n in range(80)]
    result = slots_by_function(counted(profile, ("cycles", "instructions"), mixed))
    assert by_name(result, profile)["wait"].same_share == 0


def test_callers_include_their_callees(profile: Profile) -> None:
    rows = [("compute", [100.0, 200.0]), ("wait", [100.0, 100.0])] * 20
    result = slots_by_function(counted(profile, ("cycles", "instructions"), rows))
    called = {profile.functions[item.index].name: item for item in result.called}
    assert called["main"].counts == {"cycles": 4000.0, "instructions": 6000.0}
    assert called["main"].samples == 40
    assert "all" not in called


def test_a_profile_without_counts_has_no_slots(profile: Profile) -> None:
    assert slots_by_function(profile) is None
