"""Counts by function, as the part of the result and as the caveats that readers need."""

import math
from collections.abc import Sequence
from typing import Any

from harness.cli.terminal import percent
from harness.profile.result import (
    CountedFunction,
    CountedIpc,
    CountedNode,
    CountedResult,
    CountedValues,
    ExcludedResult,
    Interval,
)
from topdown.slots.function_slots import FunctionSlots, SlotsByFunction
from topdown.slots.measurement import Interval as MeasuredInterval
from topdown.slots.measurement import MeasuredNode
from topdown.stacks.profile import Function

INTERVAL_LABEL = "95 % across samples (jackknife of ten groups)"
# Below this, most of a function's counts lie between its samples and those of other functions.
MIN_SAME_SHARE = 0.5
_MIN_REPORTED_SHARE = 0.01


def counted_result(slots: SlotsByFunction, functions: Sequence[Function]) -> CountedResult:
    """Return counts by function; shares are 0..1, nodes have the model's unit."""
    own_counts = {function.index: function for function in slots.functions}
    total_counts = {function.index: function for function in slots.called}
    return CountedResult(
        kind="measured",
        events=tuple(slots.events),
        cpu=slots.cpu,
        interval_label=INTERVAL_LABEL,
        running_share=slots.running,
        gap_share=slots.gap_share,
        left_out=ExcludedResult(
            unread=slots.left_out.unread,
            first=slots.left_out.first,
            gap=slots.left_out.gap,
            reset=slots.left_out.reset,
        ),
        total=_values(slots.total),
        functions=tuple(
            _function(
                functions[index],
                own_counts.get(index) or FunctionSlots.nothing(index, slots.events),
                total_counts.get(index),
            )
            for index in dict.fromkeys([*own_counts, *total_counts])
        ),
        warnings=tuple(caveats(slots)),
    )


def _values(counts: FunctionSlots) -> CountedValues:
    return CountedValues(**_fields(counts))


def _function(
    function: Function, counts: FunctionSlots, total: FunctionSlots | None
) -> CountedFunction:
    return CountedFunction(
        name=function.name,
        module=function.module,
        **_fields(counts),
        total_samples=None if total is None else total.samples,
        total_counts=None if total is None else dict(total.counts),
    )


def _fields(counts: FunctionSlots) -> dict[str, Any]:
    return {
        "samples": counts.samples,
        "too_few": counts.few,
        "counts": dict(counts.counts),
        "same_share": _same_share(counts),
        "ipc": _ipc(counts),
        "nodes": {node.name: _node(node) for node in counts.nodes},
        "dominating": counts.dominating,
    }


def _same_share(counts: FunctionSlots) -> float | None:
    return counts.same_share if math.isfinite(counts.same_share) else None


def _ipc(counts: FunctionSlots) -> CountedIpc | None:
    if counts.ipc is None:
        return None
    return CountedIpc(value=counts.ipc.value, interval=_interval(counts.ipc.interval))


def _node(node: MeasuredNode) -> CountedNode:
    return CountedNode(
        value=node.value,
        level=node.level,
        parent=node.parent,
        above_threshold=node.above_threshold,
        interval=_interval(node.interval),
        warnings=tuple(node.warnings),
    )


def _interval(interval: MeasuredInterval | None) -> Interval | None:
    return None if interval is None else (interval.low, interval.high)


def caveats(slots: SlotsByFunction) -> list[str]:
    """Return what a reader of counts by function must know."""
    texts = []
    if slots.running < 1 - _MIN_REPORTED_SHARE:
        texts.append(
            f"The group of events was counted for {percent(slots.running)} of the time of some "
            "thread or CPU, because other groups use the same counters: counts are scaled up."
        )
    if slots.gap_share > _MIN_REPORTED_SHARE:
        texts.append(
            f"{percent(slots.gap_share)} of the counts lie where samples are missing (lost, late, "
            "or the first of a thread): they are assigned to no function."
        )
    if slots.left_out.unread or slots.left_out.reset:
        number = slots.left_out.unread + slots.left_out.reset
        texts.append(f"{number:,} samples have no counts of the whole group, or went backwards.")
    blended = [
        function
        for function in slots.functions
        if not function.few and function.same_share < MIN_SAME_SHARE
    ]
    if blended:
        texts.append(
            f"Functions marked ~ ({len(blended)}) run for less than a sampling interval at a time: "
            "their counts are blended with those of neighbouring functions. Sample more often "
            "(-F, -c) to separate them."
        )
    return texts
