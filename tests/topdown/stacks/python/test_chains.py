"""Merging of Python and native frames, on hand-written chains."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.python.chains import PythonFrameMerger
from topdown.stacks.python.frames import Interpreter, PythonCode, PythonFrames, PythonStacks
from topdown.stacks.symbols.function_table import FunctionTable

LOOP = "_PyEval_EvalFrameDefault"
PID = 7


def table_of(chains: list[list[str]]) -> tuple[FunctionTable, list[str]]:
    names = list(dict.fromkeys(name for chain in chains for name in chain))
    functions = [
        Function(name, "python3", FunctionKind.UNKNOWN if "+0x" in name else FunctionKind.USER)
        for name in names
    ]
    return FunctionTable([]).extended(functions), names


def frames_of(stacks: list[list[list[str]]], of_sample: list[int], **more: Any) -> PythonFrames:
    """Return snapshots of thread 1 at times 0, 10, 20...; -1 skips a time."""
    names = list(dict.fromkeys(name for stack in stacks for run in stack for name in run))
    runs = [run for stack in stacks for run in stack]
    taken = [(10 * at, stack) for at, stack in enumerate(of_sample) if stack >= 0]
    return PythonFrames(
        codes=tuple(PythonCode(name, "a.py", 1, b"") for name in names),
        stacks=PythonStacks(
            np.append(0, np.cumsum([len(stack) for stack in stacks])).astype(np.int64),
            np.append(0, np.cumsum([len(run) for run in runs])).astype(np.int64),
            np.array([names.index(name) for run in runs for name in run], np.int64),
            np.zeros(sum(map(len, runs)), np.int64),
        ),
        time_ns=np.array([time for time, _ in taken], np.uint64),
        tid=np.ones(len(taken), np.int64),
        stack=np.array([stack for _, stack in taken], np.int64),
        gil=np.ones(len(taken), np.int8),
        interpreters=more.get("interpreters", (Interpreter(PID, "3.11.2", "offsets", ""),)),
        torn=0,
        late=0,
        warnings=(),
    )


def merged(
    chains: list[list[str]], frames: PythonFrames, *, cut: bool = False, pid: int = PID
) -> tuple[list[list[str]], PythonFrameMerger]:
    """Return each sample's chain by names, outermost first; sample i has chain i."""
    functions, names = table_of(chains)
    count = len(chains)
    named = NamedChains(
        functions,
        Chains(
            np.append(0, np.cumsum([len(chain) for chain in chains])).astype(np.int64),
            np.array([names.index(name) for chain in chains for name in chain], np.int64),
        ),
        np.arange(count),
        np.arange(count),
        np.full(count, 0 if cut else WHOLE),
        ("cut",) if cut else (),
    )
    capture = SimpleNamespace(
        threads=[SimpleNamespace(pid=pid, tid=1)],
        thread=np.zeros(count, np.uint32),
        time_ns=10 * np.arange(count, dtype=np.uint64),
    )
    merger = PythonFrameMerger(frames)
    result = merger(capture, named)  # type: ignore[arg-type]
    shown = []
    for chain in result.chain_of.tolist():
        part = result.chains.function[result.chains.offset[chain] : result.chains.offset[chain + 1]]
        functions = [result.functions[at] for at in part.tolist()]
        shown.append([("py " if f.kind == FunctionKind.PYTHON else "") + f.name for f in functions])
    return shown, merger


def test_each_evaluation_is_replaced_by_its_run() -> None:
    chain = ["_start", "main", LOOP, "sorted", LOOP, "PyLong_Add"]
    frames = frames_of([[["<module>", "work"], ["key", "leaf"]]], [0])
    shown, merger = merged([chain], frames)
    assert shown == [
        ["_start", "main", "py <module>", "py work", "sorted", "py key", "py leaf", "PyLong_Add"]
    ]
    assert merger.shares is not None
    assert (merger.shares.framed, merger.shares.samples) == (1, 1)
    assert merger.shares.gil_share == 1


def test_split_parts_of_the_loop_count_as_evaluations() -> None:
    shown, _ = merged([["_start", LOOP + ".cold"]], frames_of([[["f"]]], [0]))
    assert shown == [["_start", "py f"]]


def test_the_native_chain_remains_if_the_number_of_runs_differs() -> None:
    chain = ["_start", LOOP, "sorted", LOOP]
    shown, merger = merged([chain, chain], frames_of([[["f"]], [["f"], ["g"], ["h"]]], [0, 1]))
    assert shown == [chain, chain]
    assert merger.shares is not None
    assert merger.shares.moved_on == 2


def test_a_truncated_chain_gets_the_innermost_runs() -> None:
    frames = frames_of([[["<module>"], ["f", "g"], ["h"]]], [0])
    shown, _ = merged([["map", LOOP, "sorted", LOOP, "leaf"]], frames, cut=True)
    assert shown == [["map", "py f", "py g", "sorted", "py h", "leaf"]]


def test_a_truncated_chain_with_more_evaluations_than_runs_remains() -> None:
    shown, merger = merged([["map", LOOP, LOOP]], frames_of([[["f"]]], [0]), cut=True)
    assert shown == [["map", LOOP, LOOP]]
    assert merger.shares is not None
    assert merger.shares.moved_on == 1


def test_unread_samples_and_native_samples_are_counted_separately() -> None:
    chains = [["_start", LOOP], ["clone3", "blas"], ["_start", LOOP, "x"]]
    shown, merger = merged(chains, frames_of([[["f"]]], [-1, -1, 0]))
    assert shown == [["_start", LOOP], ["clone3", "blas"], ["_start", "py f", "x"]]
    shares = merger.shares
    assert shares is not None
    assert (shares.unread, shares.native, shares.framed) == (1, 1, 1)


def test_equal_native_chains_with_different_python_frames_are_split() -> None:
    chain = ["_start", LOOP]
    shown, _ = merged([chain, chain, chain], frames_of([[["f"]], [["g", "h"]]], [0, 1, 0]))
    assert shown == [["_start", "py f"], ["_start", "py g", "py h"], ["_start", "py f"]]


def test_snapshots_of_other_threads_and_times_are_not_used() -> None:
    frames = frames_of([[["f"]]], [0])
    assert merged([["_start", LOOP]], frames, pid=8)[0] == [["_start", LOOP]]
    frames.tid[0] = 2
    shown, merger = merged([["_start", LOOP]], frames)
    assert shown == [["_start", LOOP]]
    assert merger.shares is not None
    assert merger.shares.unread == 1


def test_an_unnamed_loop_is_recognized_by_the_stacks() -> None:
    """As in Debian's 3.13: all but a stub of the loop is split off and stripped."""
    part = "python3+0x43d839"
    chains = [
        ["_start", "python3+0x1", part, "python3+0x2", part],
        ["_start", "python3+0x1", part, "python3+0x3", "python3+0x4"],
    ] * 20
    frames = frames_of([[["<module>"], ["f"]], [["<module>", "g"]]], [0, 1] * 20)
    shown, merger = merged(chains, frames)
    assert shown[0] == ["_start", "python3+0x1", "py <module>", "python3+0x2", "py f"]
    assert shown[1] == [
        "_start", "python3+0x1", "py <module>", "py g", "python3+0x3", "python3+0x4",
    ]  # fmt: skip
    assert merger.shares is not None
    assert merger.shares.framed == 40


def test_unread_samples_are_not_native_if_the_loop_is_unknown() -> None:
    chain = ["_start", "python3+0x1", "python3+0x2"]
    _, merger = merged([chain] * 9, frames_of([[["<module>"], ["f"]]], [0] + [-1] * 8))
    shares = merger.shares
    assert shares is not None
    assert (shares.unread, shares.native, shares.moved_on, shares.framed) == (8, 0, 1, 0)


def test_without_any_frames_chains_without_a_loop_are_native() -> None:
    _, merger = merged([["clone3", "blas"]] * 3, frames_of([[["f"]]], [-1] * 3))
    assert merger.shares is not None
    assert (merger.shares.native, merger.shares.unread) == (3, 0)


def test_a_coincidence_in_few_samples_is_not_the_loop() -> None:
    """A function that occurs once per run in only a few samples is not the loop."""
    chains = [["_start", LOOP, "sorted", LOOP]] * 99 + [["_start", "python3+0x5"]]
    frames = frames_of([[["f"], ["g"]], [["f"]]], [0] * 99 + [1])
    shown, _ = merged(chains, frames)
    assert shown[-1] == ["_start", "python3+0x5"]


def test_trampolines_are_replaced_by_python_functions() -> None:
    interpreters = (Interpreter(PID, "3.13.1", "trampoline", ""),)
    frames = frames_of([], [], interpreters=interpreters)
    chain = [
        "_start", "py::<module>:/a b:c.py", LOOP, "map", "py::C.m:x.py", "python3+0x9", "leaf",
        "py::not one",
    ]  # fmt: skip
    shown, merger = merged([chain], frames)
    assert shown == [["_start", "py <module>", "map", "py C.m", "leaf", "py::not one"]]
    assert merger.shares is not None
    assert merger.shares.trampolined == 1


def test_a_capture_without_snapshots_or_samples_is_accepted() -> None:
    chain = ["_start", LOOP]
    assert merged([chain], frames_of([], []))[0] == [chain]
    assert merged([chain], frames_of([], [], interpreters=()))[0] == [chain]
    assert merged([[]], frames_of([[["f"]]], [0]))[0] == [[]]
