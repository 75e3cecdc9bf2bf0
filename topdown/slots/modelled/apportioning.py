"""Slots by cause, from predicted cycles and native ones.

The pipeline model predicts what each cause adds; the native run says what all of it took. Native
cycles beyond the prediction are named unexplained. Where the prediction is more than there was,
causes give way by how unsure they are: first what a simulated predictor and caches without
prefetching exaggerate, last what follows from the instructions alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from topdown.slots.modelled.constants import unsure
from topdown.slots.modelled.pipeline import Cause

NODES = {
    Cause.MISPREDICTS: ("branch_mispredicts", "bad_speculation"),
    Cause.FETCH_LATENCY: ("fetch_latency", "frontend_bound"),
    Cause.FETCH_BANDWIDTH: ("fetch_bandwidth", "frontend_bound"),
    Cause.UNITS: ("execution_units", "backend_bound"),
    Cause.DEPENDENCY: ("core_dependency", "backend_bound"),
    Cause.DIVIDER: ("divider", "backend_bound"),
    Cause.L1_LATENCY: ("l1_latency", "backend_bound"),
    Cause.L2_LATENCY: ("l2_bound", "backend_bound"),
    Cause.L3_LATENCY: ("l3_bound", "backend_bound"),
    Cause.DRAM_LATENCY: ("dram_bound", "backend_bound"),
    Cause.DRAM_BANDWIDTH: ("dram_bandwidth", "backend_bound"),
}
LEVEL_1 = ("retiring", "bad_speculation", "frontend_bound", "backend_bound", "unexplained")
UNEXPLAINED = ("kernel_time", "not_modelled")


@dataclass(frozen=True, slots=True)
class Native:
    """One native run's cycles: in user mode, and in the kernel."""

    user_cycles: float
    kernel_cycles: float


def shares(
    predicted: Mapping[Cause, float], instructions: float, native: Native
) -> dict[str, float]:
    """Return the share of all slots of each node, levels 1 and 2.

    ``predicted`` are cycles an instruction that each cause adds.
    """
    total = native.user_cycles + native.kernel_cycles
    there = native.user_cycles / instructions
    added = {cause: max(0.0, cycles) for cause, cycles in predicted.items()}
    retiring = min(added.pop(Cause.WIDTH), there)
    left = there - retiring
    added = _giving_way(added, sum(added.values()) - left)
    scale = instructions / total
    found = dict.fromkeys(LEVEL_1, 0.0)
    found["retiring"] = retiring * scale
    for cause, (node, parent) in NODES.items():
        found[node] = added.get(cause, 0.0) * scale
        found[parent] += found[node]
    found["kernel_time"] = native.kernel_cycles / total
    found["not_modelled"] = max(0.0, left - sum(added.values())) * scale
    found["unexplained"] = found["kernel_time"] + found["not_modelled"]
    return found


def _giving_way(added: dict[Cause, float], excess: float) -> dict[Cause, float]:
    """Return what is left of each cause when so many cycles are too many."""
    kept = dict(added)
    unsure_of = {cause: unsure()[cause.name.lower()] for cause in kept}
    while excess > 1e-12:
        weights = {cause: unsure_of[cause] * cycles for cause, cycles in kept.items() if cycles > 0}
        total = sum(weights.values())
        if total <= 0:
            break
        taken = 0.0
        for cause, weight in weights.items():
            part = min(kept[cause], excess * weight / total)
            kept[cause] -= part
            taken += part
        excess -= taken
    return kept


def path_of(low: Mapping[str, float], high: Mapping[str, float]) -> tuple[str, ...]:
    """Return the marked path: at each level the greatest node of user mode, by both sets of shares.

    Empty where they disagree, and at most as deep as they agree.
    """
    users = [{**found, "unexplained": found["not_modelled"]} for found in (low, high)]
    top = _greatest(LEVEL_1, *users)
    if top is None:
        return ()
    below = [node for node, parent in NODES.values() if parent == top]
    if top == "unexplained":
        below = ["not_modelled"]
    child = _greatest(below, low, high) if below else None
    return (top,) if child is None else (top, child)


def _greatest(
    nodes: tuple[str, ...] | list[str], low: Mapping[str, float], high: Mapping[str, float]
) -> str | None:
    best = max(nodes, key=lambda node: low[node])
    agreed = max(nodes, key=lambda node: high[node]) == best
    return best if agreed and low[best] > 0 and high[best] > 0 else None
