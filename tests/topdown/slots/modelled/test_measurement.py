"""What is said of a command: its nodes, when no bottleneck is named, and what a person must know."""

from dataclasses import replace

import pytest

from tests.topdown.slots.modelled.runs import ADDED, INSTRUCTIONS, OUTCOME, RUN
from topdown.slots.measurement import Kind
from topdown.slots.modelled.measurement import measurement_of
from topdown.slots.modelled.prediction import Prediction


def test_every_value_is_modelled_and_the_anchor_is_printed() -> None:
    result = measurement_of(OUTCOME)
    assert result.kind is Kind.MODELLED
    values = {node.name: node.value for node in result.nodes}
    assert values["retiring"] == pytest.approx(0.2)
    assert result.bottleneck == ("backend_bound", "core_dependency")
    assert result.ipc is not None
    assert result.ipc.value == pytest.approx(1)
    assert "1.00 cycles per instruction natively" in dict(result.facts)["anchor"]
    assert "60 times native" not in dict(result.facts)["simulated"]  # the median run took 1.05 s
    assert any("30 MiB is simulated as 32 MiB" in text for text in result.warnings)


def test_intervals_span_from_the_least_to_the_median_run() -> None:
    result = measurement_of(OUTCOME)
    by_name = {node.name: node for node in result.nodes}
    retiring = by_name["retiring"].interval
    assert retiring is not None
    assert retiring.low == pytest.approx(0.2 / 1.05)
    assert retiring.high == pytest.approx(0.2)
    assert by_name["not_modelled"].interval != by_name["core_dependency"].interval


def test_a_time_limited_command_has_a_warning() -> None:
    outcome = replace(
        OUTCOME, simulated_s=1.4, prediction=Prediction(ADDED, INSTRUCTIONS // 50, 1.0)
    )
    assert any("fixed amount of work" in text for text in measurement_of(outcome).warnings)


def test_a_command_that_the_kernel_works_for_ends_when_it_is_done() -> None:
    kernel = replace(RUN, user_s=0.3, system_s=0.7)
    little = Prediction(ADDED, INSTRUCTIONS // 50, 1.0)
    outcome = replace(OUTCOME, simulated_s=1.4, native=(kernel, kernel), prediction=little)
    assert not outcome.ends_by_time


def test_a_crowded_machine_is_allowed_for() -> None:
    little = Prediction(ADDED, INSTRUCTIONS // 50, 1.0)
    crowded = replace(RUN, user_s=0.25, wall_s=1.0, queued_s=0.75)
    outcome = replace(OUTCOME, simulated_s=4.0, prediction=little)
    assert not outcome.ends_by_time
    assert replace(outcome, native=(crowded, crowded)).ends_by_time


def test_time_without_a_cpu_is_not_waiting() -> None:
    queued = replace(RUN, wall_s=5.0, queued_s=4.0)
    assert measurement_of(replace(OUTCOME, native=(queued, queued))).bottleneck is not None


def test_several_threads_give_a_warning() -> None:
    result = measurement_of(replace(OUTCOME, threads=4))
    assert any("4 threads were simulated one at a time" in text for text in result.warnings)


def test_short_runs_have_a_warning() -> None:
    short = replace(RUN, user_s=0.01, wall_s=0.01)
    result = measurement_of(replace(OUTCOME, native=(short, short)))
    assert any("too short" in text for text in result.warnings)


def test_time_on_occupied_cpus_is_not_waiting() -> None:
    """A child's wait for a CPU is in no account: only idle CPUs tell that it waited otherwise."""
    crowded = replace(RUN, wall_s=5.0, idle_s=0.2)
    result = measurement_of(replace(OUTCOME, native=(crowded,) * 2))
    assert result.bottleneck == ("backend_bound", "core_dependency")
    asleep = replace(RUN, wall_s=5.0, idle_s=9.0)
    assert measurement_of(replace(OUTCOME, native=(asleep,) * 2)).bottleneck is None
