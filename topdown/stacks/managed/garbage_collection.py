"""Garbage collection in a profile: the runtime, the collector, and its share.

CPU time of a collector is that of its threads (HotSpot) and of its functions on any thread. A
collection that a program's own function requests, such as one named ``gc``, is not counted by that
function's name. In a profile of waits, only threads of the program that wait for a collection
count: the idle threads of a collector wait for work.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from topdown.stacks.managed.collector_functions import (
    CollectorFunction,
    collector_function,
    native_runtime,
    runs_java,
)
from topdown.stacks.managed.virtual_machine_threads import work_of_threads
from topdown.stacks.profile import Function, FunctionKind, Profile

_GO_ENTRY = ("runtime.goexit", "runtime.mstart", "runtime.mcall", "runtime.systemstack")
_WORK = re.compile(r"\[garbage collection: (.*)\]")
_VM_THREAD = b"VM Thread"
_MOST = 0.5  # of the CPU time of a thread
_NONE = CollectorFunction("", "", "")
# A Java thread that waits here needs a collection before it can allocate.
_HOTSPOT_WAIT = re.compile(
    r"(VMThread::execute\b|alloc_page_stall|ZPageAllocator::alloc_page_or_stall)"
)
_HOTSPOT_ALLOCATION = re.compile(
    r"(CollectedHeap::(mem_allocate|collect|do_collection|attempt_allocation)|MemAllocator::"
    r"|\bVM_\w*(Collect|GC)\w*|Heap::(mem_allocate|attempt_allocation|collect)|alloc_page_stall)"
)


class GarbageCollection(Struct, frozen=True):
    """Garbage collection of a process by one collector; shares are of the profile's weight, 0..1.

    ``phase``: the kind that took most of it, empty if function names do not say; ``phases``: the
    weight of each. ``certain``: False if the VM thread of a Java process has no function names, so
    that other operations at a safepoint may be included.
    """

    pid: int
    process_name: str
    runtime: str  # hotspot, v8, go, ruby, php or cpython
    collector: str  # G1, parallel, serial, ZGC, Shenandoah, V8, ...; empty if not known
    phase: str
    phases: dict[str, int]
    samples: int
    value: int  # in the unit of the profile
    share: float  # of the profile
    process_share: float  # of the process
    certain: bool


class _Totals:
    """Samples and weight of a collector in a process."""

    def __init__(self) -> None:
        self.samples = 0
        self.value = 0
        self.phases: defaultdict[str, int] = defaultdict(int)
        self.certain = True


class _NamedThread(Struct, frozen=True):
    """A thread with its name as the kernel keeps it."""

    pid: int
    name: bytes


class _WeightRow(Struct, frozen=True):
    """A weight of a profile; ``activity``: the collector's work, None for that of the program."""

    pid: int
    samples: int
    value: int
    activity: CollectorFunction | None
    certain: bool


def garbage_collections(
    profile: Profile, *, waiting: bool = False
) -> tuple[GarbageCollection, ...]:
    """Return garbage collection by process and collector, the largest share first.

    ``waiting``: the profile weighs waits (``--weight off-cpu``), so that the share is that of time
    in which threads of the program waited for a collection, among the waits of all threads.
    """
    totals: defaultdict[tuple[int, str, str], _Totals] = defaultdict(_Totals)
    of_process: defaultdict[int, int] = defaultdict(int)
    for row in _rows(profile, waiting=waiting):
        of_process[row.pid] += row.value
        activity = row.activity
        if activity is None:
            continue
        entry = totals[row.pid, activity.runtime, activity.collector]
        entry.samples += row.samples
        entry.value += row.value
        entry.phases[activity.phase] += row.value
        entry.certain &= row.certain
    return _results(profile, totals, of_process)


def collects(profile: Profile) -> list[bool]:
    """Return whether each weight of a profile of CPU time is garbage collection."""
    return [row.activity is not None for row in _rows(profile, waiting=False)]


def collector_threads(profile: Profile) -> frozenset[int]:
    """Return the ids of threads with most of their CPU time in garbage collection.

    The rest is that of its locks and wake-ups.
    """
    whole, collecting = Counter[int](), Counter[int]()
    for thread, value, is_collecting in zip(
        profile.weight_thread.tolist(),
        profile.weight_value.tolist(),
        collects(profile),
        strict=True,
    ):
        whole[thread] += value
        collecting[thread] += value if is_collecting else 0
    return frozenset(
        profile.threads[thread].tid
        for thread, value in whole.items()
        if collecting[thread] >= _MOST * value
    )


def _rows(profile: Profile, *, waiting: bool) -> Iterator[_WeightRow]:
    functions = list(profile.functions)
    work = _work_of_nodes(profile, functions, waiting=waiting)
    is_java = _nodes_with(profile, [runs_java(function) for function in functions])
    named = _nodes_with(profile, [_is_named_hotspot(function) for function in functions])
    threads = [_NamedThread(t.pid, t.thread_name.encode()) for t in profile.threads]
    collectors = _collectors_of_threads(profile, functions, threads, is_java)
    collector_of = _collector_of_process(collectors, threads)
    for node, thread, samples, value in zip(
        profile.weight_node.tolist(),
        profile.weight_thread.tolist(),
        profile.weight_samples.tolist(),
        profile.weight_value.tolist(),
        strict=True,
    ):
        pid = threads[thread].pid
        activity = work[node]
        certain = True
        if not waiting and not is_java[node] and collectors[thread] and not activity.runtime:
            serial = collectors[thread] == "serial"
            activity = CollectorFunction("hotspot", collectors[thread], "")
            if serial and named[node]:
                activity = _NONE  # another operation of the VM thread, by its functions
            certain = not serial
        if activity.runtime == "hotspot":
            activity = activity._replace(collector=collector_of.get(pid) or activity.collector)
        yield _WeightRow(pid, samples, value, activity if activity.runtime else None, certain)


def _results(
    profile: Profile,
    totals: dict[tuple[int, str, str], _Totals],
    of_process: dict[int, int],
) -> tuple[GarbageCollection, ...]:
    whole = int(profile.weight_value.sum())
    names = {thread.pid: thread.process_name for thread in profile.threads}
    results = []
    for (pid, runtime, collector), entry in totals.items():
        if not entry.value:
            continue
        phases = {phase: value for phase, value in entry.phases.items() if phase}
        ordered = dict(sorted(phases.items(), key=lambda item: -item[1]))
        results.append(
            GarbageCollection(
                pid,
                names[pid],
                runtime,
                collector,
                next(iter(ordered), ""),
                ordered,
                entry.samples,
                entry.value,
                entry.value / whole,
                entry.value / of_process[pid],
                entry.certain,
            )
        )
    return tuple(sorted(results, key=lambda result: -result.value))


def _work_of_nodes(
    profile: Profile, functions: Sequence[Function], *, waiting: bool
) -> list[CollectorFunction]:
    """Return the collector's work of each node: the innermost phase on its path that has a name."""
    go_modules = frozenset(f.module for f in functions if f.name.startswith(_GO_ENTRY))
    of_function = [collector_function(function, go_modules=go_modules) for function in functions]
    if waiting:
        of_function = [None if f and f.runtime == "hotspot" else f for f in of_function]
    waits = _hotspot_waits(profile, functions) if waiting else {}
    work: list[CollectorFunction] = []
    for node, (parent, number) in enumerate(
        zip(profile.node_parent.tolist(), profile.node_function.tolist(), strict=True)
    ):
        above = work[parent] if parent >= 0 else _NONE
        own = waits.get(node) or of_function[number]
        if own is None or (above.runtime and not own.phase):
            work.append(above)
        else:
            work.append(own if own.collector else own._replace(collector=above.collector))
    return work


def _hotspot_waits(profile: Profile, functions: Sequence[Function]) -> dict[int, CollectorFunction]:
    """Return the nodes at which a thread waits for a collection that its allocation needs."""
    native = [
        function.kind == FunctionKind.USER
        and native_runtime(function.module, frozenset()) == "hotspot"
        for function in functions
    ]
    allocates = [
        is_native and bool(_HOTSPOT_ALLOCATION.search(function.name))
        for function, is_native in zip(functions, native, strict=True)
    ]
    below_allocation = _nodes_with(profile, allocates)
    waits = [
        is_native and bool(_HOTSPOT_WAIT.search(function.name))
        for function, is_native in zip(functions, native, strict=True)
    ]
    return {
        node: CollectorFunction("hotspot", "", "")
        for node, number in enumerate(profile.node_function.tolist())
        if waits[number] and below_allocation[node]
    }


def _nodes_with(profile: Profile, chosen: Sequence[bool]) -> list[bool]:
    """Return whether each node or one of its callers has a chosen function."""
    result: list[bool] = []
    for parent, number in zip(
        profile.node_parent.tolist(), profile.node_function.tolist(), strict=True
    ):
        result.append(chosen[number] or (parent >= 0 and result[parent]))
    return result


def _is_named_hotspot(function: Function) -> bool:
    """Return whether this is a named function of libjvm below the entry of a thread."""
    return (
        function.kind == FunctionKind.USER
        and native_runtime(function.module, frozenset()) == "hotspot"
        and not function.name.startswith(("thread_native_entry", "Thread::", "VMThread::"))
    )


def _collectors_of_threads(
    profile: Profile,
    functions: Sequence[Function],
    threads: Sequence[_NamedThread],
    is_java: Sequence[bool],
) -> list[str]:
    """Return the collector that each thread belongs to, empty for threads of the program.

    Names are not trusted: a thread that has run Java code is a thread of the program.
    """
    hotspot = [
        function.kind == FunctionKind.JAVA
        or native_runtime(function.module, frozenset()) == "hotspot"
        for function in functions
    ]
    in_hotspot = _nodes_with(profile, hotspot)
    rows = list(zip(profile.weight_node.tolist(), profile.weight_thread.tolist(), strict=True))
    java_pids = frozenset(threads[thread].pid for node, thread in rows if in_hotspot[node])
    java_threads = {thread for node, thread in rows if is_java[node]}
    own = [
        thread if number not in java_threads else _NamedThread(thread.pid, b"")
        for number, thread in enumerate(threads)
    ]
    works = work_of_threads(own, java_pids)
    collectors = []
    for thread, text in zip(own, works, strict=True):
        collector = _WORK.fullmatch(text)
        if collector:
            collectors.append(collector[1])
        elif thread.name == _VM_THREAD and "serial garbage collection" in text:
            collectors.append("serial")
        else:
            collectors.append("")
    return collectors


def _collector_of_process(
    collectors: Sequence[str], threads: Sequence[_NamedThread]
) -> dict[int, str]:
    """Return the collector of each process that has threads of one; the serial one has none."""
    return {
        thread.pid: collector
        for thread, collector in zip(threads, collectors, strict=True)
        if collector and collector != "serial"
    }
