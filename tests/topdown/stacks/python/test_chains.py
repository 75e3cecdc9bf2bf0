"""Python and native frames as one chain, on chains made by hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.python.chains import PythonInterleave
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
    """Return snapshots of thread 1 at times 0, 10, 20...; -1 leaves one out."""
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
) -> tuple[list[list[str]], PythonInterleave]:
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
    interleave = PythonInterleave(frames)
    result = interleave(capture, named)  # type: ignore[arg-type]
    shown = []
    for chain in result.chain_of.tolist():
        part = result.chains.function[result.chains.offset[chain] : result.chains.offset[chain + 1]]
        found = [result.functions[at] for at in part.tolist()]
        shown.append([("py " if f.kind == FunctionKind.PYTHON else "") + f.name for f in found])
    return shown, interleave


def test_each_evaluation_makes_way_for_its_run() -> None:
    chain = ["_start", "main", LOOP, "sorted", LOOP, "PyLong_Add"]
    frames = frames_of([[["<module>", "work"], ["key", "leaf"]]], [0])
    shown, interleave = merged([chain], frames)
    assert shown == [
        ["_start", "main", "py <module>", "py work", "sorted", "py key", "py leaf", "PyLong_Add"]
    ]
    assert interleave.shares is not None
    assert (interleave.shares.framed, interleave.shares.samples) == (1, 1)
    assert interleave.shares.gil_share == 1


def test_parts_of_the_loop_that_were_split_off_evaluate_too() -> None:
    shown, _ = merged([["_start", LOOP + ".cold"]], frames_of([[["f"]]], [0]))
    assert shown == [["_start", "py f"]]


def test_where_the_numbers_disagree_the_native_chain_stays() -> None:
    chain = ["_start", LOOP, "sorted", LOOP]
    shown, interleave = merged([chain, chain], frames_of([[["f"]], [["f"], ["g"], ["h"]]], [0, 1]))
    assert shown == [chain, chain]
    assert interleave.shares is not None
    assert interleave.shares.moved_on == 2


def test_a_cut_chain_has_the_innermost_runs() -> None:
    frames = frames_of([[["<module>"], ["f", "g"], ["h"]]], [0])
    shown, _ = merged([["map", LOOP, "sorted", LOOP, "leaf"]], frames, cut=True)
    assert shown == [["map", "py f", "py g", "sorted", "py h", "leaf"]]


def test_a_cut_chain_with_more_evaluations_than_runs_stays() -> None:
    shown, interleave = merged([["map", LOOP, LOOP]], frames_of([[["f"]]], [0]), cut=True)
    assert shown == [["map", LOOP, LOOP]]
    assert interleave.shares is not None
    assert interleave.shares.moved_on == 1


def test_samples_that_were_not_read_or_have_no_python_are_told_apart() -> None:
    chains = [["_start", LOOP], ["clone3", "blas"], ["_start", LOOP, "x"]]
    shown, interleave = merged(chains, frames_of([[["f"]]], [-1, -1, 0]))
    assert shown == [["_start", LOOP], ["clone3", "blas"], ["_start", "py f", "x"]]
    shares = interleave.shares
    assert shares is not None
    assert (shares.unread, shares.native, shares.framed) == (1, 1, 1)


def test_equal_native_chains_with_other_python_frames_are_told_apart() -> None:
    chain = ["_start", LOOP]
    shown, _ = merged([chain, chain, chain], frames_of([[["f"]], [["g", "h"]]], [0, 1, 0]))
    assert shown == [["_start", "py f"], ["_start", "py g", "py h"], ["_start", "py f"]]


def test_other_threads_times_and_processes_have_no_part() -> None:
    frames = frames_of([[["f"]]], [0])
    assert merged([["_start", LOOP]], frames, pid=8)[0] == [["_start", LOOP]]
    frames.tid[0] = 2
    shown, interleave = merged([["_start", LOOP]], frames)
    assert shown == [["_start", LOOP]]
    assert interleave.shares is not None
    assert interleave.shares.unread == 1


def test_an_interpreter_whose_loop_has_no_name_is_recognized_by_its_stacks() -> None:
    """As in Debian's 3.13, where all but a stub of the loop was split off and stripped."""
    part = "python3+0x43d839"
    chains = [
        ["_start", "python3+0x1", part, "python3+0x2", part],
        ["_start", "python3+0x1", part, "python3+0x3", "python3+0x4"],
    ] * 20
    frames = frames_of([[["<module>"], ["f"]], [["<module>", "g"]]], [0, 1] * 20)
    shown, interleave = merged(chains, frames)
    assert shown[0] == ["_start", "python3+0x1", "py <module>", "python3+0x2", "py f"]
    assert shown[1] == [
        "_start", "python3+0x1", "py <module>", "py g", "python3+0x3", "python3+0x4",
    ]  # fmt: skip
    assert interleave.shares is not None
    assert interleave.shares.framed == 40


def test_where_the_loop_was_not_recognized_what_was_not_read_is_not_said_to_run_no_python() -> None:
    chain = ["_start", "python3+0x1", "python3+0x2"]
    _, interleave = merged([chain] * 9, frames_of([[["<module>"], ["f"]]], [0] + [-1] * 8))
    shares = interleave.shares
    assert shares is not None
    assert (shares.unread, shares.native, shares.moved_on, shares.framed) == (8, 0, 1, 0)


def test_where_no_frames_were_read_at_all_chains_without_a_loop_run_no_python() -> None:
    _, interleave = merged([["clone3", "blas"]] * 3, frames_of([[["f"]]], [-1] * 3))
    assert interleave.shares is not None
    assert (interleave.shares.native, interleave.shares.unread) == (3, 0)


def test_no_function_is_taken_for_the_loop_by_chance() -> None:
    """A function that stands as often as there are runs in a few samples is not the loop."""
    chains = [["_start", LOOP, "sorted", LOOP]] * 99 + [["_start", "python3+0x5"]]
    frames = frames_of([[["f"], ["g"]], [["f"]]], [0] * 99 + [1])
    shown, _ = merged(chains, frames)
    assert shown[-1] == ["_start", "python3+0x5"]


def test_trampolines_carry_the_python_function() -> None:
    interpreters = (Interpreter(PID, "3.13.1", "trampoline", ""),)
    frames = frames_of([], [], interpreters=interpreters)
    chain = [
        "_start", "py::<module>:/a b:c.py", LOOP, "map", "py::C.m:x.py", "python3+0x9", "leaf",
        "py::not one",
    ]  # fmt: skip
    shown, interleave = merged([chain], frames)
    assert shown == [["_start", "py <module>", "map", "py C.m", "leaf", "py::not one"]]
    assert interleave.shares is not None
    assert interleave.shares.trampolined == 1


def test_a_capture_without_snapshots_or_samples_passes() -> None:
    chain = ["_start", LOOP]
    assert merged([chain], frames_of([], []))[0] == [chain]
    assert merged([chain], frames_of([], [], interpreters=()))[0] == [chain]
    assert merged([[]], frames_of([[["f"]]], [0]))[0] == [[]]
