"""How often intervals hold the truth, by simulation: phases of a program, groups taking turns."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.topdown.slots.counting.synthetic import by_turns, groups_of_sets
from tests.topdown.slots.self_test.world import PROGRAMS, counts_of_kernel
from topdown.slots.counting.bottleneck import bottleneck_path
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.estimation import Estimator, SlotQuantity, merged
from topdown.slots.counting.plan import nodes_down_to, plan_of
from topdown.slots.counting.tree_estimate import TreeEstimate
from topdown.slots.model import Model, load

Floats = NDArray[np.float64]

RUNS = 40
LENGTH_MS = 3000
CYCLES = "cycles"


def phases(random: np.random.Generator, mean_ms: float) -> dict[str, np.ndarray]:
    """Counts in each millisecond of a program whose phases differ in what they wait for."""
    rates = {name: np.empty(LENGTH_MS) for name in (CYCLES, "front", "back", "bad")}
    place = 0
    while place < LENGTH_MS:
        end = place + 1 + int(random.exponential(mean_ms))
        shares = random.dirichlet((1.0, 1.0, 1.0, 1.0))
        rates[CYCLES][place:end] = 3e6 * random.uniform(0.7, 1.3)
        for name, share in zip(("front", "back", "bad"), shares, strict=False):
            rates[name][place:end] = share * rates[CYCLES][place:end] * 4
        place = end
    return {name: rate * random.normal(1, 0.02, LENGTH_MS) for name, rate in rates.items()}


def share_of(name: str) -> SlotQuantity:
    return SlotQuantity(
        name, frozenset((name, CYCLES)), lambda known: known[name] / (4 * known[CYCLES])
    )


def covered(groups: Sequence[Sequence[str]], mean_ms: float, seed: int) -> tuple[int, int, float]:
    """How many of how many intervals hold the truth, and their mean width."""
    random = np.random.default_rng(seed)
    held, options, widths = 0, 0, []
    for _ in range(RUNS):
        rates = phases(random, mean_ms)
        windows = by_turns(groups, rates, first=int(random.integers(len(groups))))
        estimator = Estimator(tuple(merged(group) for group in windows), CYCLES)
        for name in ("front", "back", "bad"):
            quantity = share_of(name)
            truth = quantity.function({event: rate.sum() for event, rate in rates.items()})
            value = quantity.function(estimator.totals(estimator.groups_of(quantity.events)))
            half = estimator.half_width(estimator.window_effects(quantity))
            assert half is not None
            held += bool(abs(value - truth) <= half + 1e-12)
            options += 1
            widths.append(2 * half)
    return held, options, float(np.mean(widths))


@pytest.mark.parametrize("mean_ms", [3.0, 20.0, 200.0])
def test_intervals_contain_the_true_value_nine_times_of_ten(mean_ms: float) -> None:
    groups = [(CYCLES, "front"), (CYCLES, "back"), (CYCLES, "bad"), (CYCLES,), (CYCLES,)]
    held, options, width = covered(groups, mean_ms, seed=int(mean_ms))
    assert held / options >= 0.9
    assert 0 < width < 0.3


def test_an_interval_without_multiplexing_has_no_width() -> None:
    held, options, width = covered([(CYCLES, "front", "back", "bad")], 20.0, seed=1)
    assert (held, width) == (options, 0.0)


def test_fewer_turns_are_narrower() -> None:
    few = covered([(CYCLES, "front", "back"), (CYCLES, "bad")], 20.0, seed=2)[2]
    many = covered([(CYCLES, "front", "back"), (CYCLES, "bad"), *[(CYCLES,)] * 5], 20.0, seed=2)[2]
    assert few < many


def phased(model: Model, events: Sequence[str], random: np.random.Generator) -> dict[str, Floats]:
    """Counts in each millisecond of a program whose phases are the known programs."""
    programs = [counts_of_kernel(model, kernel) for kernel in PROGRAMS]
    shares = np.array(
        [[program[name] / program[model.cycles] for name in events] for program in programs]
    )
    rates = np.empty((LENGTH_MS, len(events)))
    place = 0
    while place < LENGTH_MS:
        end = place + 1 + int(random.exponential(30))
        rates[place:end] = shares[random.integers(len(programs))] * 3e6
        place = end
    rates *= random.normal(1, 0.02, (LENGTH_MS, 1))
    return {name: rates[:, column] for column, name in enumerate(events)}


def test_nodes_of_a_model_lie_in_their_intervals_and_no_wrong_branch_is_marked() -> None:
    model, mode, random = load("skl"), CountingMode(), np.random.default_rng(3)
    nodes = nodes_down_to(model, 2)
    plan = plan_of(model, mode, nodes)
    held = []
    for first in range(12):
        rates = phased(model, tuple(plan.events), random)
        windows = by_turns(groups_of_sets(plan), rates, first=first)
        turns = TreeEstimate(model, mode, plan, Estimator(windows, model.cycles))
        all_the_time = by_turns([tuple(plan.events)], rates)
        truth = TreeEstimate(model, mode, plan, Estimator(all_the_time, model.cycles))
        true_nodes = {node.name: node for node in truth.nodes(nodes)}
        result = turns.nodes(nodes)
        for node in result:
            true = true_nodes[node.name].value
            assert node.interval is not None
            assert true is not None
            held.append(node.interval.low - 1e-12 <= true <= node.interval.high + 1e-12)
        bottleneck = bottleneck_path(result, turns.difference, thresholds=True).path
        right = bottleneck_path(tuple(true_nodes.values()), truth.difference, thresholds=True).path
        assert bottleneck is None or bottleneck[:1] == (right or ())[:1]
    assert np.mean(held) >= 0.9
