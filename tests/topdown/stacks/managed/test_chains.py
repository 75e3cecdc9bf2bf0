"""Merging of managed frames and native frames, on hand-written chains."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.topdown.stacks.managed.function_chains import named_chains
from topdown.stacks.managed.chains import ManagedFrameMerger
from topdown.stacks.managed.frames import (
    Interpreters,
    InterpreterSamples,
    ManagedFrames,
    ManagedFunction,
    ManagedStacks,
    Runtime,
)
from topdown.stacks.profile import Function, FunctionKind

PID, TID = 7, 8


def native(name: str) -> Function:
    return Function(name, "node", FunctionKind.USER)


def run(number: int) -> Function:
    return Function(str(number), "[managed]", FunctionKind.MANAGED_RUN)


def generated(address: int) -> Function:
    return Function(f"[anonymous]+0x{address:x}", "[anonymous]", FunctionKind.UNKNOWN)


def javascript(name: str, *, line: int = 1, kind: str = "turbofan", reason: str = "") -> Any:
    return ManagedFunction(PID, name, "/a.js", line, kind, reason)


def frames_of(
    functions: list[ManagedFunction], stacks: list[list[tuple[int, int]]], **more: Any
) -> ManagedFrames:
    """Return frames whose samples were read at times 0 and 10; stacks are outermost first."""
    values: dict[str, Any] = {
        "runtimes": (Runtime(PID, "v8", "11.3.244", ""),),
        "failures": {},
        "warnings": (),
        "runs": (
            np.array([0, 10], np.uint64),
            np.array([TID, TID], np.int32),
            np.zeros(3, np.uint64),
            np.zeros((0, 6), np.uint64),
        ),
        "interpreted": InterpreterSamples({}, np.zeros(1, np.int64), np.zeros(0, np.int64)),
        "interpreters": Interpreters(
            *np.zeros((2, 0, 4), np.uint64), *np.zeros((2, len(functions)), np.int64)
        ),
    }
    flat = np.array([frame for stack in stacks for frame in stack], np.int64).reshape(-1, 2)
    offset = np.append(0, np.cumsum([len(stack) for stack in stacks])).astype(np.int64)
    return ManagedFrames(
        functions=tuple(functions),
        stacks=ManagedStacks(offset, flat[:, 0], flat[:, 1]),
        **{**values, **more},
    )


def merge(
    frames: ManagedFrames,
    *chains: list[Function],
    times: list[int],
    lines: bool = False,
    thread: bytes = b"main",
) -> tuple[list[list[Function]], ManagedFrameMerger]:
    """Return the merged chain of each sample; one sample has each chain."""
    capture: Any = SimpleNamespace(
        threads=[SimpleNamespace(pid=PID, tid=TID, name=thread)],
        thread=np.zeros(len(chains), np.int64),
        time_ns=np.array(times, np.uint64),
    )
    merger = ManagedFrameMerger(frames, lines=lines)
    merged = merger(capture, named_chains(*chains))
    starts = merged.chains.offset.tolist()
    return [
        [
            merged.functions[at]
            for at in merged.chains.function[starts[chain] : starts[chain + 1]].tolist()
        ]
        for chain in merged.chain_of.tolist()
    ], merger


def test_runs_between_native_frames_are_replaced_by_their_functions() -> None:
    frames = frames_of([javascript("main"), javascript("fib")], [[(0, 0), (1, 3)], [(1, 0)]])
    chains, _ = merge(frames, [native("start"), run(0), native("Sort"), run(1)], times=[0])
    assert [function.name for function in chains[0]] == ["start", "main", "fib", "Sort", "fib"]
    assert chains[0][2].kind == FunctionKind.JAVASCRIPT


def test_tiers_of_a_function_are_one_function_and_are_counted() -> None:
    frames = frames_of(
        [javascript("f", kind="interpreted"), javascript("f", kind="turbofan")],
        [[(0, 0)], [(1, 0)]],
    )
    chains, merger = merge(frames, [run(0)], [run(1)], times=[0, 10])
    assert chains[0] == chains[1]
    assert merger.shares[0].tiers == {"interpreted": 1, "turbofan": 1}
    assert (merger.shares[0].samples, merger.shares[0].named) == (2, 2)


def test_generated_code_of_a_late_sample_names_the_reason_once() -> None:
    frames = frames_of([], [], failures={(20, TID): "late"})
    chain = [native("start"), generated(1), generated(2), native("write")]
    chains, merger = merge(frames, chain, times=[20])
    names = [function.name for function in chains[0]]
    assert names == ["start", "[JavaScript: name not available: late]", "write"]
    assert merger.shares[0].failed == {"late": 1}


def test_a_sample_without_generated_code_is_named_although_it_was_late() -> None:
    frames = frames_of([], [], failures={(20, TID): "late"})
    _, merger = merge(frames, [native("start"), native("Scavenge")], times=[20])
    assert merger.shares[0].named == 1


def test_a_frame_without_a_name_gives_its_reason() -> None:
    frames = frames_of([javascript("", reason="code not found")], [[(0, 0)]])
    chains, merger = merge(frames, [native("start"), run(0)], times=[0])
    assert chains[0][1].name == "[JavaScript: name not available: code not found]"
    assert merger.shares[0].failed == {"code not found": 1}


def test_lines_are_those_of_the_innermost_frame() -> None:
    frames = frames_of([javascript("main"), javascript("fib")], [[(0, 9), (1, 3)]])
    chains, _ = merge(frames, [run(0)], times=[0], lines=True)
    assert [function.lines for function in chains[0]] == [(), (("/a.js:3", 1),)]


def test_a_collector_thread_of_a_java_process_gets_its_work_as_outermost_frame() -> None:
    frames = frames_of([], [], runtimes=(Runtime(PID, "hotspot", "21.0.4", ""),))
    chains, merger = merge(frames, [native("mark")], times=[0], thread=b"G1 Conc#0")
    assert [function.name for function in chains[0]] == ["[garbage collection: G1]", "mark"]
    assert merger.shares[0].works == {"[garbage collection: G1]": 1}


def test_a_leaf_in_c2_code_is_reported_as_inexact_once() -> None:
    runtimes = (Runtime(PID, "hotspot", "21.0.4", ""),)
    frames = frames_of([javascript("f", kind="c2")], [[(0, 0)]], runtimes=runtimes)
    _, merger = merge(frames, [run(0)], [run(0), native("memcpy")], times=[0, 10])
    (warning,) = merger.warnings
    assert warning.code == "java-leaves-inexact"
    assert warning.message.startswith("50% of the Java samples are in code of the C2 compiler.")
    assert "-XX:+DebugNonSafepoints" in warning.message


def test_exact_leaves_are_not_reported() -> None:
    _, merger = merge(frames_of([javascript("f")], [[(0, 0)]]), [run(0)], times=[0])
    assert merger.warnings == ()
