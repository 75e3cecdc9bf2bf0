"""The pace of a continuous recording, on simulated machines."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.continuous.pace import MAX_SEGMENT_S, MIN_HZ, BudgetPace, SegmentCost, SegmentPlan


@dataclass
class Machine:
    """CPU time of a segment: fixed, and per sample; ``busy``: CPUs that the target uses."""

    fixed_s: float
    sample_s: float
    busy: float

    def cost(self, plan: SegmentPlan) -> SegmentCost:
        variable_s = plan.duration_s * plan.frequency_hz * self.busy * self.sample_s
        return SegmentCost(plan.duration_s, plan.frequency_hz, self.fixed_s, variable_s)


def run(
    pace: BudgetPace, machine: Machine, *, segments: int, start_s: float = 0.0
) -> tuple[float, float, list[SegmentPlan]]:
    """Return elapsed time, CPU time and plans of a run without early ends."""
    elapsed_s, used_s, plans = start_s, start_s, []
    for _ in range(segments):
        plan = pace.plan(elapsed_s, used_s)
        cost = machine.cost(plan)
        elapsed_s += plan.pause_s + plan.duration_s
        used_s += cost.fixed_s + cost.variable_s
        pace.note(cost)
        plans.append(plan)
    return elapsed_s, used_s, plans


def pace_of(share: float = 0.01, *, segment_s: float = 60.0, cpus: int = 2) -> BudgetPace:
    return BudgetPace(share, max_hz=99, segment_s=segment_s, first_variable=20e-6 * cpus)


@given(
    share=st.floats(0.001, 0.5),
    fixed_s=st.floats(0.01, 3.0),
    sample_s=st.floats(1e-6, 1e-3),
    busy=st.floats(0.01, 256.0),
    segment_s=st.floats(1.0, 120.0),
)
def test_a_steady_load_keeps_the_budget_after_its_start(
    share: float, fixed_s: float, sample_s: float, busy: float, segment_s: float
) -> None:
    machine, pace = Machine(fixed_s, sample_s, busy), pace_of(share, segment_s=segment_s)
    run(pace, machine, segments=8)
    elapsed_s, used_s, plans = run(pace, machine, segments=20)
    assert used_s <= share * elapsed_s * 1.01
    assert all(MIN_HZ <= plan.frequency_hz <= 99 for plan in plans)
    assert all(segment_s <= plan.duration_s <= MAX_SEGMENT_S for plan in plans)


def test_the_start_is_made_up_for() -> None:
    elapsed_s, used_s, plans = run(pace_of(), Machine(0.1, 20e-6, 2), segments=10, start_s=0.5)
    assert used_s <= 0.01 * elapsed_s
    assert not any(plan.pause_s for plan in plans), "a lower rate is enough"


def test_a_cheap_target_is_sampled_at_the_largest_rate() -> None:
    _, _, plans = run(pace_of(cpus=64), Machine(0.05, 20e-6, 1), segments=10)
    assert plans[0].frequency_hz < 10, "64 CPUs may all be busy"
    assert plans[-1].frequency_hz == 99
    assert plans[-1].duration_s == 60


def test_more_busy_cpus_lower_the_rate_and_fewer_raise_it() -> None:
    pace = pace_of(cpus=64)
    _, _, few = run(pace, Machine(0.05, 20e-6, 1), segments=10)
    _, _, many = run(pace, Machine(0.05, 20e-6, 64), segments=10)
    _, _, again = run(pace, Machine(0.05, 20e-6, 1), segments=10)
    assert many[-1].frequency_hz < few[-1].frequency_hz == again[-1].frequency_hz


def test_a_large_fixed_cost_gives_longer_segments_and_then_pauses() -> None:
    _, _, longer = run(pace_of(), Machine(1.0, 20e-6, 1), segments=10)
    assert 200 < longer[-1].duration_s < 300
    assert longer[-1].pause_s == 0
    _, _, paused = run(pace_of(), Machine(10.0, 20e-6, 1), segments=10)
    assert paused[-1].duration_s == MAX_SEGMENT_S
    assert paused[-1].frequency_hz == MIN_HZ
    assert paused[-1].pause_s > 300


def test_a_long_start_gives_a_longer_segment_and_no_pause() -> None:
    pace = pace_of(0.03, segment_s=10)
    pace.note(SegmentCost(10, 50, 2.0, 0.01))
    plan = pace.plan(10.6, 2.6)
    assert plan.pause_s == 0
    assert plan.duration_s > 100


def test_a_segment_is_overrun_beyond_its_allowance() -> None:
    plan = pace_of().plan(0.0, 0.0)
    assert plan.variable_s == pytest.approx(0.54)
    assert not plan.is_overrun(0.8)
    assert plan.is_overrun(0.9)
