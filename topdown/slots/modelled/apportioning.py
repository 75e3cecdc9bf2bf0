"""Slots by cause, from predicted and native cycles.

The pipeline model predicts the cycles that each cause adds; native runs measure the total. Native
cycles beyond the prediction are unexplained. If the prediction exceeds the native cycles, causes
are reduced by their uncertainty: most those that a simulated predictor and caches without
prefetching overstate, least those that follow from the instructions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from topdown.slots.modelled.constants import uncertainties
from topdown.slots.modelled.pipeline import PipelineStall

NODES = {
    PipelineStall.MISPREDICTS: ("branch_mispredicts", "bad_speculation"),
    PipelineStall.FETCH_LATENCY: ("fetch_latency", "frontend_bound"),
    PipelineStall.FETCH_BANDWIDTH: ("fetch_bandwidth", "frontend_bound"),
    PipelineStall.UNITS: ("execution_units", "backend_bound"),
    PipelineStall.DEPENDENCY: ("core_dependency", "backend_bound"),
    PipelineStall.DIVIDER: ("divider", "backend_bound"),
    PipelineStall.L1_LATENCY: ("l1_latency", "backend_bound"),
    PipelineStall.L2_LATENCY: ("l2_bound", "backend_bound"),
    PipelineStall.L3_LATENCY: ("l3_bound", "backend_bound"),
    PipelineStall.DRAM_LATENCY: ("dram_bound", "backend_bound"),
    PipelineStall.DRAM_BANDWIDTH: ("dram_bandwidth", "backend_bound"),
}
LEVEL_1 = ("retiring", "bad_speculation", "frontend_bound", "backend_bound", "unexplained")
UNEXPLAINED = ("kernel_time", "not_modelled")


@dataclass(frozen=True, slots=True)
class NativeCycles:
    """The cycles of a native run in user mode and in the kernel."""

    user_cycles: float
    kernel_cycles: float


def shares(
    predicted: Mapping[PipelineStall, float], instructions: float, native: NativeCycles
) -> dict[str, float]:
    """Return each node's share of all slots, levels 1 and 2.

    ``predicted`` are the cycles per instruction that each cause adds.
    """
    total = native.user_cycles + native.kernel_cycles
    available = native.user_cycles / instructions
    added = {cause: max(0.0, cycles) for cause, cycles in predicted.items()}
    retiring = min(added.pop(PipelineStall.WIDTH), available)
    left = available - retiring
    added = _reduced(added, sum(added.values()) - left)
    scale = instructions / total
    result = dict.fromkeys(LEVEL_1, 0.0)
    result["retiring"] = retiring * scale
    for cause, (node, parent) in NODES.items():
        result[node] = added.get(cause, 0.0) * scale
        result[parent] += result[node]
    result["kernel_time"] = native.kernel_cycles / total
    result["not_modelled"] = max(0.0, left - sum(added.values())) * scale
    result["unexplained"] = result["kernel_time"] + result["not_modelled"]
    return result


def _reduced(added: dict[PipelineStall, float], excess: float) -> dict[PipelineStall, float]:
    """Return the causes' cycles after removing the excess, weighted by uncertainty."""
    reduced = dict(added)
    uncertainty = {cause: uncertainties()[cause.name.lower()] for cause in reduced}
    while excess > 1e-12:
        weights = {
            cause: uncertainty[cause] * cycles for cause, cycles in reduced.items() if cycles > 0
        }
        total = sum(weights.values())
        if total <= 0:
            break
        removed = 0.0
        for cause, weight in weights.items():
            reduction = min(reduced[cause], excess * weight / total)
            reduced[cause] -= reduction
            removed += reduction
        excess -= removed
    return reduced


def path_of(low: Mapping[str, float], high: Mapping[str, float]) -> tuple[str, ...]:
    """Return the marked path: at each level the greatest node of user mode in both sets of shares.

    It ends at the level where they disagree, and may be empty.
    """
    user_mode = [{**values, "unexplained": values["not_modelled"]} for values in (low, high)]
    top = _greatest(LEVEL_1, *user_mode)
    if top is None:
        return ()
    children = [node for node, parent in NODES.values() if parent == top]
    if top == "unexplained":
        children = ["not_modelled"]
    child = _greatest(children, low, high) if children else None
    return (top,) if child is None else (top, child)


def _greatest(
    nodes: tuple[str, ...] | list[str], low: Mapping[str, float], high: Mapping[str, float]
) -> str | None:
    best = max(nodes, key=lambda node: low[node])
    agreed = max(nodes, key=lambda node: high[node]) == best
    return best if agreed and low[best] > 0 and high[best] > 0 else None
