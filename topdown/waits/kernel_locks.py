"""Contended locks of the kernel, from the tracepoints lock:contention_begin and _end."""

from dataclasses import dataclass

import numpy as np

from topdown.waits.records import NO_THREAD, WaitRecords
from topdown.waits.stack_names import StackNames

# Flags of contention_begin (include/trace/events/lock.h).
_SPIN, _READ, _WRITE, _RT, _PERCPU, _MUTEX = 1, 2, 4, 8, 16, 32
# Functions of the locks themselves and of the tracepoint.
_LOCK_WORDS = ("lock", "rwsem", "contention", "mutex", "down_read", "down_write", "semaphore")


@dataclass(frozen=True, slots=True)
class KernelLock:
    """Waits of the target's threads for a lock; ``function``: that takes it, innermost."""

    address: int
    kind: str
    function: str
    wait_ns: int
    waits: int


def lock_kind(flags: int) -> str:
    """Return the kind of a lock by the flags of the tracepoint."""
    access = "-read" if flags & _READ else "-write" if flags & _WRITE else ""
    if flags & _SPIN:
        return f"rwlock{access}" if access else "spin"
    for bit, name in ((_MUTEX, "mutex"), (_RT, "rt-mutex"), (_PERCPU, "percpu-rwsem")):
        if flags & bit:
            return name
    return f"rwsem{access}" if access else "semaphore"


def kernel_locks(records: WaitRecords, names: StackNames) -> list[KernelLock]:
    """Return the locks by waiting time. A begin without an end of its thread does not count."""
    rows = records.contention
    if rows is None or not len(rows.time_ns):
        return []
    target = np.append([thread.target for thread in records.threads], False).astype(np.bool_)
    threads = np.where(rows.thread == NO_THREAD, len(target) - 1, rows.thread)
    order = np.lexsort((rows.time_ns, rows.thread))
    order = order[target[threads[order]]]
    begin, end = order[:-1], order[1:]
    pair = (rows.end[begin] == 0) & (rows.end[end] == 1) & (rows.thread[begin] == rows.thread[end])
    pair &= rows.address[begin] == rows.address[end]
    begin, end = begin[pair], end[pair]
    duration = (rows.time_ns[end] - rows.time_ns[begin]).astype(np.int64)
    kinds = [lock_kind(flags) for flags in rows.flags[begin].tolist()]
    locks: dict[tuple[int, str], tuple[int, int, dict[int, int]]] = {}
    columns = (rows.address[begin].tolist(), kinds, duration.tolist(), rows.stack[begin].tolist())
    for address, kind, wait_ns, stack in zip(*columns, strict=True):
        total, waits, stacks = locks.get((address, kind), (0, 0, {}))
        stacks[stack] = stacks.get(stack, 0) + wait_ns
        locks[address, kind] = total + wait_ns, waits + 1, stacks
    rows_of_locks = [
        KernelLock(address, kind, _function(stacks, names), total, waits)
        for (address, kind), (total, waits, stacks) in locks.items()
    ]
    return sorted(rows_of_locks, key=lambda lock: (-lock.wait_ns, lock.address))


def _function(stacks: dict[int, int], names: StackNames) -> str:
    """Return the innermost function that is not a lock's, of the stack with the longest waits."""
    heaviest = max(stacks, key=lambda stack: stacks[stack])
    frames = names.kernel_part(heaviest)
    return next((name for name in frames if not any(word in name for word in _LOCK_WORDS)), "")
