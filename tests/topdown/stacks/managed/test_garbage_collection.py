"""Garbage collection in profiles, by runtime and collector, and what looks like it."""

import numpy as np
import pytest

from topdown.stacks.managed.garbage_collection import (
    GarbageCollection,
    collector_threads,
    garbage_collections,
)
from topdown.stacks.profile import Function, FunctionKind, Profile, SampleSource, Thread

Frame = tuple[str, str] | tuple[str, str, FunctionKind]
JVM = "/usr/lib/jvm/lib/server/libjvm.so"
NODE = "/usr/bin/node"
MAIN: Frame = ("Main.main", "Main.java", FunctionKind.JAVA)


def collected(
    *samples: tuple[str, int, list[Frame]], waiting: bool = False
) -> tuple[GarbageCollection, ...]:
    """Return the collections of such a profile."""
    return garbage_collections(profile_of(*samples), waiting=waiting)


def profile_of(*samples: tuple[str, int, list[Frame]]) -> Profile:
    """Return a profile of (thread, samples, frames from outside inwards), ids from 7 on."""
    functions = [Function("", "", FunctionKind.ROOT)]
    parents, numbers = [-1], [0]
    threads: list[Thread] = []
    rows = []
    for name, count, frames in samples:
        parent = 0
        for frame in frames:
            kind = frame[2] if len(frame) == 3 else FunctionKind.USER
            functions.append(Function(frame[0], frame[1], kind))
            parents.append(parent)
            numbers.append(len(functions) - 1)
            parent = len(parents) - 1
        threads.append(Thread(7, 7 + len(threads), "server", name))
        rows.append((parent, len(threads) - 1, count, count * 1000))
    weights = np.array(rows, np.int64)
    return Profile(
        SampleSource("cpu-clock", "measured", "ns", 999, None, "user"), "", int(weights[:, 2].sum()),
        0, 1.0, functions, tuple(threads), np.array(parents, np.int32), np.array(numbers, np.int32),
        weights[:, 0].astype(np.int32), weights[:, 1].astype(np.int32), weights[:, 2],
        weights[:, 3], 0.0, 0.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("runtime", "collector", "phase", "frames"),
    [
        ("v8", "V8", "scavenge", [("v8::internal::Heap::Scavenge()", NODE)]),
        ("v8", "V8", "mark-compact", [("v8::internal::MarkCompactCollector::Finish()", NODE)]),
        ("ruby", "mark and sweep", "sweep", [("gc_start", "/lib/libruby-3.1.so.3.1"),
                                             ("gc_sweep", "/lib/libruby-3.1.so.3.1")]),
        ("cpython", "cycles", "", [("gc_collect_main", "/usr/bin/python3.11")]),
        ("php", "cycles", "", [("zend_gc_collect_cycles", "/usr/bin/php8.2")]),
        ("go", "Go", "mark", [("runtime.goexit", "/srv/app"),
                              ("runtime.gcBgMarkWorker", "/srv/app")]),
        ("hotspot", "ZGC", "relocate", [("ZRelocateTask::work()", JVM)]),
    ],
)  # fmt: skip
def test_collectors_are_known_by_their_functions(
    runtime: str, collector: str, phase: str, frames: list[Frame]
) -> None:
    (result,) = collected(("worker", 25, frames), ("main", 75, [("work", "/srv/app")]))
    assert (result.runtime, result.collector, result.phase) == (runtime, collector, phase)
    assert result.samples == 25
    assert result.share == pytest.approx(0.25)
    assert result.certain


def test_a_collectors_threads_count_whatever_they_execute() -> None:
    (result,) = collected(
        ("GC Thread#0", 30, [("SpinPause", JVM)]),
        ("G1 Conc#0", 10, [("G1CMTask::do_marking_step()", JVM)]),
        ("java", 60, [("JavaCalls::call_helper()", JVM), MAIN]),
    )
    assert (result.collector, result.phase, result.samples) == ("G1", "concurrent", 40)


def test_the_serial_collector_is_that_part_of_the_vm_thread_that_collects() -> None:
    (result,) = collected(
        ("VM Thread", 30, [("VMThread::run()", JVM), ("DefNewGeneration::collect()", JVM)]),
        ("VM Thread", 20, [("VMThread::run()", JVM), ("ThreadDumper::dump()", JVM)]),
        ("java", 50, [MAIN]),
    )
    assert (result.collector, result.phase, result.samples) == ("serial", "young", 30)
    assert result.certain


def test_a_vm_thread_without_function_names_is_not_certain() -> None:
    (result,) = collected(
        ("VM Thread", 30, [("libjvm.so+0x10", JVM, FunctionKind.UNKNOWN)]), ("java", 70, [MAIN])
    )
    assert result.collector == "serial"
    assert not result.certain


@pytest.mark.parametrize(
    "frames",
    [
        [("gc", "/srv/app.js", FunctionKind.JAVASCRIPT)],
        [("v8::internal::Heap::Scavenge", "/srv/app.js", FunctionKind.JAVASCRIPT)],
        [("gc_collect_main", "/srv/app")],
        [("runtime.gcStart", "/srv/app")],
        [("G1ParScanThreadState::work()", "/srv/libother.so")],
        [("gc", "/srv/app.py", FunctionKind.PYTHON)],
    ],
)
def test_functions_of_a_program_with_such_names_are_not_collections(frames: list[Frame]) -> None:
    assert collected(("main", 10, frames)) == ()


def test_a_thread_of_the_program_named_as_a_collector_is_not_one() -> None:
    run = ("JavaThread::run()", JVM)
    assert collected(("GC Thread#0", 90, [run, MAIN]), ("java", 10, [MAIN])) == ()


def test_waits_are_those_of_allocating_threads_and_not_of_idle_collectors() -> None:
    allocating: list[Frame] = [MAIN, ("MemAllocator::allocate()", JVM)]
    (result,) = collected(
        ("java", 20, [*allocating, ("VMThread::execute(VM_Operation*)", JVM)]),
        ("java", 30, [MAIN, ("VMThread::execute(VM_Operation*)", JVM)]),
        ("GC Thread#0", 50, [("G1ParScanThreadState::trim()", JVM)]),
        waiting=True,
    )
    assert (result.runtime, result.samples) == ("hotspot", 20)


def test_threads_that_mostly_collect_are_told_from_those_that_allocate() -> None:
    scavenge: list[Frame] = [("v8::internal::Heap::Scavenge()", NODE)]
    profile = profile_of(
        ("main", 60, [("Main", NODE)]),
        ("worker", 30, scavenge),
        ("poller", 10, [("uv__io_poll", NODE)]),
    )
    assert collector_threads(profile) == {8}
