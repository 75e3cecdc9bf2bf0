"""Locks and causes of a recording, also if it has random windows from some time on.

What was recorded completely counts as it is, and the windows after it stand for the time between
them, so that a wait for a disk at the start is not multiplied.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from harness.waits.analysis import WaitAnalysis
from harness.waits.locks_document import LockParts, lock_parts
from harness.waits.period import within
from harness.waits.result import LockWaits
from harness.waits.window_scale import scale_parts, window_scale
from topdown.waits.idle_pools import idle_threads

_Row = TypeVar("_Row", bound=msgspec.Struct)
_SUMS = (
    "wait_ns", "waits", "attributed_ns", "inclusive_ns", "unexplained_ns", "wall_ns", "cpu_ns",
)  # fmt: skip
# The largest comes first; the first of these fields that a row has.
_COSTS = ("wait_ns", "attributed_ns", "wall_ns", "cpu_ns")


def whole_parts(analysis: WaitAnalysis) -> LockParts:
    """Return the parts of all time of an analysis."""
    records = analysis.records
    begin_ns, end_ns = analysis.extent_ns
    limited_ns = records.limited_from_ns
    if limited_ns is None or limited_ns >= end_ns:
        return _parts(analysis)
    if limited_ns <= begin_ns:
        return scale_parts(_parts(analysis), window_scale(records, begin_ns, end_ns))
    idle = analysis.idle
    if idle is None:
        idle = idle_threads(records, analysis.kinds.intervals)
    complete = _parts(within(analysis, begin_ns, limited_ns, idle))
    windows = _parts(within(analysis, limited_ns, end_ns, idle))
    return _sum(complete, scale_parts(windows, window_scale(records, limited_ns, end_ns)))


def _parts(analysis: WaitAnalysis) -> LockParts:
    return lock_parts(
        analysis.records,
        analysis.kinds.intervals,
        analysis.names,
        analysis.calls,
        idle=analysis.idle,
        continues=analysis.continues,
    )


def _sum(first: LockParts, second: LockParts) -> LockParts:
    """Return the parts of two periods together."""
    larger, smaller = sorted((first.graph, second.graph), key=lambda graph: -graph.wait_ns)
    return replace(
        second,
        locks=_rows(first.locks, second.locks, ("address", "kind")),
        functions=_rows(first.functions, second.functions, ("function",)),
        causes=_rows(first.causes, second.causes, ("kind", "name")),
        graph=msgspec.structs.replace(
            larger,
            edges=_rows(first.graph.edges, second.graph.edges, ("waiter", "cause")),
            wait_ns=larger.wait_ns + smaller.wait_ns,
            unexplained_ns=larger.unexplained_ns + smaller.unexplained_ns,
            followed_share=min(larger.followed_share, smaller.followed_share),
        ),
        idle_pools=_rows(first.idle_pools, second.idle_pools, ("process", "name")),
        kernel_locks=_rows(first.kernel_locks, second.kernel_locks, ("address", "kind")),
        ended_waits=_rows(
            first.ended_waits,
            second.ended_waits,
            ("thread", "functions", "waker", "waker_functions"),
        ),
        spinning=second.spinning or first.spinning,
    )


def _rows(first: Iterable[_Row], second: Iterable[_Row], key: tuple[str, ...]) -> tuple[_Row, ...]:
    """Return the rows of both; those with the same key are one, the largest come first."""
    rows: dict[tuple[Any, ...], _Row] = {}
    for row in (*first, *second):
        name = tuple(getattr(row, field) for field in key)
        rows[name] = _row(rows[name], row) if name in rows else row
    return tuple(sorted(rows.values(), key=lambda row: -_cost(row)))


def _row(first: _Row, second: _Row) -> _Row:
    """Return a row with the sums of two; the larger one has the other facts."""
    larger = max(first, second, key=_cost)
    changes: dict[str, Any] = {
        name: getattr(first, name) + getattr(second, name)
        for name in larger.__struct_fields__
        if name in _SUMS
    }
    if "longest_ns" in larger.__struct_fields__:
        changes["longest_ns"] = max(first.longest_ns, second.longest_ns)  # type: ignore[attr-defined]
    if isinstance(first, LockWaits) and isinstance(second, LockWaits):
        changes |= _lock_facts(first, second)
    for name, key in (("callers", ("function",)), ("callees", ("name",))):
        if name in larger.__struct_fields__:
            both = [*getattr(first, name), *getattr(second, name)]
            own = key if all(hasattr(row, key[0]) for row in both) else ("name",)
            changes[name] = _rows(getattr(first, name), getattr(second, name), own)
    return msgspec.structs.replace(larger, **changes)


def _lock_facts(first: LockWaits, second: LockWaits) -> dict[str, Any]:
    """Return what only one of two parts knows: wake-ups are not recorded in windows."""
    larger, smaller = sorted((first, second), key=lambda lock: -lock.wait_ns)
    woken = larger.woken_per_wake_up
    kinds = {sign.partition(":")[0] for sign in larger.signs}
    more = tuple(sign for sign in smaller.signs if sign.partition(":")[0] not in kinds)
    return {
        "woken_per_wake_up": smaller.woken_per_wake_up if woken is None else woken,
        "signs": (*larger.signs, *more),
    }


def _cost(row: msgspec.Struct) -> int:
    field = next(name for name in _COSTS if name in row.__struct_fields__)
    cost: int = getattr(row, field)
    return cost
