"""Times of locks and causes that were seen in random windows, scaled to the whole recording."""

from dataclasses import replace
from typing import TypeVar

import msgspec
import numpy as np

from harness.waits.locks_document import LockParts
from topdown.waits.records import WaitRecords

# Sums over time; a longest wait or a mean hold time is not one of them.
_SUMS = ("wait_ns", "waits", "attributed_ns", "inclusive_ns", "unexplained_ns")
_Part = TypeVar("_Part")


def window_scale(records: WaitRecords, begin_ns: int, end_ns: int) -> float:
    """Return the factor from the windows to all time between two times; 1 without windows.

    Windows are random, so each nanosecond of waiting has the same chance to be in one.
    """
    windows = np.clip(records.windows.astype(np.int64), begin_ns, end_ns)
    recorded = int((windows[:, 1] - windows[:, 0]).sum())
    return (end_ns - begin_ns) / recorded if recorded else 1.0


def scale_parts(parts: LockParts, factor: float) -> LockParts:
    """Return the parts with all sums of time and of waits scaled."""
    if factor == 1.0:
        return parts
    return replace(
        parts,
        locks=_scaled(parts.locks, factor),
        functions=_scaled(parts.functions, factor),
        causes=_scaled(parts.causes, factor),
        graph=_scaled(parts.graph, factor),
        kernel_locks=_scaled(parts.kernel_locks, factor),
        ended_waits=_scaled(parts.ended_waits, factor),
    )


def _scaled(part: _Part, factor: float) -> _Part:
    """Return a document's part with its sums scaled, at any depth."""
    if isinstance(part, tuple):
        return tuple(_scaled(row, factor) for row in part)  # type: ignore[return-value]
    if not isinstance(part, msgspec.Struct):
        return part
    changes = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        changes[name] = round(value * factor) if name in _SUMS else _scaled(value, factor)
    return msgspec.structs.replace(part, **changes)
