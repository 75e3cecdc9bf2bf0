"""Slots from predicted and native cycles: they sum up, causes give way in order, gaps have a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topdown.slots.modelled.apportioning import (
    LEVEL_1,
    NODES,
    UNEXPLAINED,
    NativeCycles,
    path_of,
    shares,
)
from topdown.slots.modelled.pipeline import PipelineStall

CYCLES = st.floats(0, 100)


def predicted(**added: float) -> dict[PipelineStall, float]:
    causes = dict.fromkeys(PipelineStall, 0.0)
    return causes | {PipelineStall[name]: cycles for name, cycles in added.items()}


def test_a_prediction_equal_to_native_time_is_unchanged() -> None:
    result = shares(predicted(WIDTH=0.25, DEPENDENCY=0.75), 1e6, NativeCycles(1e6, 0))
    assert result["retiring"] == pytest.approx(0.25)
    assert result["core_dependency"] == result["backend_bound"] == pytest.approx(0.75)
    assert result["unexplained"] == 0


def test_native_time_beyond_the_prediction_is_unexplained() -> None:
    result = shares(predicted(WIDTH=0.2), 1e6, NativeCycles(2e6, 0))
    assert result["not_modelled"] == result["unexplained"] == pytest.approx(0.9)


def test_wrong_predictions_that_there_was_no_time_for_give_way_first() -> None:
    result = shares(predicted(WIDTH=0.2, UNITS=0.1, MISPREDICTS=3), 1e6, NativeCycles(0.3e6, 0))
    assert result["retiring"] > 0.6
    assert result["branch_mispredicts"] < 0.1
    assert result["execution_units"] > 0.2


def test_the_kernels_share_is_apart() -> None:
    result = shares(predicted(WIDTH=0.5, DEPENDENCY=0.5), 1e6, NativeCycles(1e6, 3e6))
    assert result["kernel_time"] == result["unexplained"] == pytest.approx(0.75)
    assert result["retiring"] == pytest.approx(0.125)


@given(
    st.lists(CYCLES, min_size=len(PipelineStall), max_size=len(PipelineStall)),
    st.floats(0.01, 1000),
    CYCLES,
)
def test_shares_are_whole_whatever_is_predicted(
    added: list[float], user: float, kernel: float
) -> None:
    result = shares(dict(zip(PipelineStall, added, strict=True)), 1.0, NativeCycles(user, kernel))
    assert sum(result[name] for name in LEVEL_1) == pytest.approx(1)
    assert all(-1e-9 <= share <= 1 + 1e-9 for share in result.values())
    for parent in LEVEL_1[1:4]:
        children = sum(result[node] for node, above in NODES.values() if above == parent)
        assert children == pytest.approx(result[parent])
    assert sum(result[name] for name in UNEXPLAINED) == pytest.approx(result["unexplained"])


def test_the_path_is_marked_if_both_ends_agree() -> None:
    slow = shares(predicted(WIDTH=0.2, DRAM_LATENCY=3), 1.0, NativeCycles(3.2, 0))
    busy = shares(predicted(WIDTH=0.2, UNITS=0.01), 1.0, NativeCycles(0.21, 0))
    assert path_of(slow, slow) == ("backend_bound", "dram_bound")
    assert path_of(busy, busy) == ("retiring",)
    assert path_of(slow, busy) == ()


def test_kernel_time_does_not_compete_with_user_mode() -> None:
    result = shares(predicted(WIDTH=0.1, DRAM_LATENCY=0.9), 1.0, NativeCycles(1, 0.95))
    assert path_of(result, result) == ("backend_bound", "dram_bound")
    gap = shares(predicted(WIDTH=0.1), 1.0, NativeCycles(1, 0))
    assert path_of(gap, gap) == ("unexplained", "not_modelled")
