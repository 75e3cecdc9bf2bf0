"""CPU time that may go with page faults, system calls, or garbage collection, by CPU samples.

Shares are those of the thread that has most of it: a thread that polls beside a thread that calls
has another share of the process, and no part in the gain.
"""

import re
from collections import Counter
from collections.abc import Sequence

from harness.diagnose.kernel_ways import CALL, FAULT, SWAP, KernelPath, ThreadShare
from topdown.stacks.managed.garbage_collection import collects
from topdown.stacks.profile import FunctionKind, Profile

MEMORY_CALLS = ("madvise", "munmap", "mmap", "mprotect", "brk", "mremap")
# What programs run for their collector: barriers of stores, and allocation beyond the free memory
# of a thread (V8, HotSpot, Go, Ruby).
_FOR_COLLECTOR = re.compile(
    r"^(Builtins_)?RecordWrite|WriteBarrier|MarkingBarrier|Runtime_AllocateIn|Factory::NewFiller"
    r"|PagedSpace|MemAllocator::|CollectedHeap::|G1BarrierSetRuntime|^runtime\.(mallocgc|gcAssist"
    r"|gcWriteBarrier|wbBuf)|^rb_gc_writebarrier|^newobj_"
)
_LEAST_OF_THREAD = 0.1  # of the samples, for a thread whose share counts


def removable_with_calls(profile: Profile, paths: Sequence[KernelPath]) -> ThreadShare | None:
    """Return the time in the kernel, and in the innermost functions that call it.

    The functions that these call count as well: a wrapper of the C library only serves its call.
    """
    kernel = _kernel_nodes(profile)
    numbers, parents = profile.node_function.tolist(), profile.node_parent.tolist()
    callers = {
        numbers[parent]
        for node, parent in enumerate(parents)
        if parent > 0 and paths[node].way == CALL and not kernel[parent]
    }
    removable: list[bool] = []
    for node, parent in enumerate(parents):
        below = parent > 0 and not kernel[parent] and removable[parent]
        removable.append(kernel[node] or below or (node > 0 and numbers[node] in callers))
    return _largest_share(profile, removable)


def removable_with_faults(profile: Profile, paths: Sequence[KernelPath]) -> ThreadShare | None:
    """Return the time in page faults, in calls that manage memory, and in functions that fault.

    An access that faults is repeated, with caches and translations that the kernel has displaced.
    """
    kernel = _kernel_nodes(profile)
    numbers = profile.node_function.tolist()
    faulting = {
        numbers[parent]
        for node, parent in enumerate(profile.node_parent.tolist())
        if parent > 0 and paths[node].way == FAULT and not kernel[parent]
    }
    removable = [
        _manages_memory(path) or (node > 0 and not kernel[node] and numbers[node] in faulting)
        for node, path in enumerate(paths)
    ]
    return _largest_share(profile, removable)


def program_shares(profile: Profile, paths: Sequence[KernelPath]) -> dict[int, float]:
    """Return for each process, by pid, the share of all CPU time that its own work takes, 0..1.

    Its own work is all but garbage collection and what runs for it, page faults, and calls that
    manage memory.
    """
    for_collector = _nodes_below(profile, _FOR_COLLECTOR)
    whole = int(profile.weight_value.sum())
    totals = Counter[int]()
    for node, thread, value, is_collection in zip(
        profile.weight_node.tolist(),
        profile.weight_thread.tolist(),
        profile.weight_value.tolist(),
        collects(profile),
        strict=True,
    ):
        if not is_collection and not for_collector[node] and not _manages_memory(paths[node]):
            totals[profile.threads[thread].pid] += value
    return {pid: value / whole for pid, value in totals.items()}


def _nodes_below(profile: Profile, names: re.Pattern[str]) -> list[bool]:
    """Return whether each node or one of its callers has a function with such a name."""
    chosen = [bool(names.search(function.name)) for function in profile.functions]
    result = [False]
    for parent, number in zip(
        profile.node_parent.tolist()[1:], profile.node_function.tolist()[1:], strict=True
    ):
        result.append(chosen[number] or result[parent])
    return result


def _manages_memory(path: KernelPath) -> bool:
    return path.way in (FAULT, SWAP) or (path.way == CALL and path.call in MEMORY_CALLS)


def _kernel_nodes(profile: Profile) -> list[bool]:
    is_kernel = [function.kind == FunctionKind.KERNEL for function in profile.functions]
    numbers = profile.node_function.tolist()
    return [node > 0 and is_kernel[number] for node, number in enumerate(numbers)]


def _largest_share(profile: Profile, removable: Sequence[bool]) -> ThreadShare | None:
    """Return the largest share of removable nodes of any thread with a tenth of the samples."""
    samples, values, gone = Counter[int](), Counter[int](), Counter[int]()
    for node, thread, number, value in zip(
        profile.weight_node.tolist(),
        profile.weight_thread.tolist(),
        profile.weight_samples.tolist(),
        profile.weight_value.tolist(),
        strict=True,
    ):
        samples[thread] += number
        values[thread] += value
        gone[thread] += value if removable[node] else 0
    least = _LEAST_OF_THREAD * sum(values.values())
    rows = [
        ThreadShare(samples[thread], gone[thread] / value)
        for thread, value in values.items()
        if value >= max(1, least)
    ]
    return max(rows, key=lambda row: row.share, default=None)
