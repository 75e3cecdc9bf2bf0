"""Native functions of garbage collectors, by runtime, module, collector and phase.

A function counts only in a file of its runtime, so that functions of a program with such names are
not mistaken. Names of HotSpot are those of OpenJDK 17 to 25, names of V8 those of 10.2 to 14.6.
Names of Go, Ruby, PHP and CPython are from their sources.
"""

import re
from typing import NamedTuple

from topdown.stacks.managed.remedies import runtime_of_file
from topdown.stacks.profile import Function, FunctionKind


class CollectorFunction(NamedTuple):
    """What a function of a collector does; empty if its name does not say."""

    runtime: str
    collector: str
    phase: str


_CPYTHON = re.compile(rb"/(python[0-9.]*|libpython[^/]*)$")
# The first pattern that matches decides.
_PATTERNS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "hotspot": (
        ("G1", "full", r"\b(G1Full\w*|G1AdjustRegion|G1MarkAndPush|VM_G1CollectFull)"),
        ("G1", "concurrent", r"\b(G1CM\w|G1Conc\w+|G1RebuildRemSet|VM_G1Concurrent)"),
        ("G1", "young or mixed", r"\b(G1ParScan\w*|G1Evac\w+|G1Young\w+|VM_G1Collect\w*)"),
        ("G1", "", r"\b(G1CollectedHeap::(do_collection|collect|satisfy_failed)\w*)"),
        ("parallel", "full", r"\b(PSParallelCompact|ParCompactionManager|ParMarkBitMap)"),
        ("parallel", "young", r"\b(PSScavenge|PSPromotion\w+|VM_ParallelGC\w*)"),
        ("ZGC", "mark", r"\b[XZ](Mark\b|Barrier::mark)"),
        ("ZGC", "relocate", r"\b[XZ](Relocate\w*|Barrier::relocate)"),
        ("ZGC", "", r"\b([XZ]Barrier::\w*slow_path|VM_[XZ]\w+|[XZ]Driver::gc)"),
        (
            "Shenandoah",
            "",
            r"\b(Shenandoah(Mark|Evac\w+|Concurrent\w*|Full|Degen)\w*|VM_Shenandoah)",
        ),
        ("serial", "young", r"\b(DefNewGeneration|FastScanClosure|DefNew\w+)"),
        (
            "serial",
            "full",
            r"\b((Gen)?MarkSweep|CompactibleSpace|SerialFullGC|TenuredGeneration)\b",
        ),
        ("serial", "", r"\b(VM_(GenCollect|SerialCollect|SerialGC)\w*|SerialHeap::do_\w+)"),
        ("", "", r"\b(VM_CollectForMetadataAllocation|GenCollectedHeap::do_collection)"),
    ),
    "v8": (
        ("V8", "scavenge", r"\bv8::internal::(Heap::Scavenge|Scaveng|MinorMarkSweep|MinorGC)"),
        (
            "V8",
            "mark-compact",
            (
                r"\bv8::internal::(Heap::MarkCompact|MarkCompactCollector|ConcurrentMarking"
                r"|MarkingVisitor|IncrementalMarking|Evacuator|Sweeper|MainMarkingVisitor"
                r"|PointersUpdatingJob|RememberedSetUpdating)"
            ),
        ),
        ("V8", "", r"\bv8::internal::(Heap::(Collect|Perform)Garbage|MemoryAllocator::Unmapper)"),
    ),
    "ruby": (
        ("mark and sweep", "mark", r"^(gc_marks?|gc_mark_\w+|mark_\w+_children)\b"),
        ("mark and sweep", "sweep", r"^gc_sweep\w*"),
        ("mark and sweep", "", r"^(gc_start\w*|garbage_collect\w*|rb_gc|gc_rest|heap_prepare)\b"),
    ),
    "php": (("cycles", "", r"^(zend_gc_collect_cycles|zend_gc_run\w*|gc_mark_roots)\b"),),
    "cpython": (
        (
            "cycles",
            "",
            (
                r"^(gc_collect(_\w+)?|_?PyGC_Collect\w*|_PyGC_\w*Collect\w*|deduce_unreachable"
                r"|subtract_refs|update_refs|_Py_RunGC)(\.\w+)*$"
            ),
        ),
    ),
    "go": (
        ("Go", "mark", r"^runtime\.(gcBgMarkWorker|gcDrain|gcAssistAlloc|gcMark)"),
        ("Go", "sweep", r"^runtime\.(bgsweep|sweepone|\(\*sweepLocked\)\.sweep)"),
        ("Go", "", r"^runtime\.(gcStart|bgscavenge|GC$)"),
    ),
}
_COMPILED = {
    runtime: tuple((name, phase, re.compile(text)) for name, phase, text in patterns)
    for runtime, patterns in _PATTERNS.items()
}
# Collectors visit the frames of all threads by other functions of JavaThread.
_JAVA_THREAD = re.compile(r"^(JavaThread::(run|thread_main_inner)|JavaCalls::call\w*)\b")


def collector_function(
    function: Function, *, go_modules: frozenset[str]
) -> CollectorFunction | None:
    """Return what a function does for a collector, None for other functions."""
    if function.kind != FunctionKind.USER:
        return None
    runtime = native_runtime(function.module, go_modules)
    for collector, phase, pattern in _COMPILED.get(runtime, ()):
        if pattern.search(function.name):
            return CollectorFunction(runtime, collector, phase)
    return None


def native_runtime(module: str, go_modules: frozenset[str]) -> str:
    """Return the runtime whose native code a file has, empty for other files."""
    path = module.encode("utf-8", "surrogateescape")
    if module in go_modules:
        return "go"
    return "cpython" if _CPYTHON.search(path) else runtime_of_file(path)


def runs_java(function: Function) -> bool:
    """Return whether only a thread that runs Java code has this function on its stack."""
    if function.kind == FunctionKind.JAVA:
        return function.module != "[hotspot]"
    return function.kind == FunctionKind.USER and bool(_JAVA_THREAD.search(function.name))
