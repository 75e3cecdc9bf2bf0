"""Merging of Ruby and PHP frames into native chains, on hand-written chains."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.topdown.stacks.managed.function_chains import named_chains
from topdown.stacks.managed.frames import read_managed_frames
from topdown.stacks.managed.interpreted import InterpretedFrameMerger
from topdown.stacks.profile import Function, FunctionKind

PID, TID, TIME_NS = 7, 7, 100
LOOP = Function("rb_vm_exec", "/libruby.so", FunctionKind.USER)
INNER = Function("libruby.so+0x10", "/libruby.so", FunctionKind.UNKNOWN)
MAIN = Function("0", "[managed]", FunctionKind.EXECUTED_CODE)
BLOCK = Function("1", "[managed]", FunctionKind.EXECUTED_CODE)
NATIVE = Function("rb_ary_each", "/libruby.so", FunctionKind.USER)


def merge(
    folder: Path, chain: list[Function], *entries: dict[str, Any], lines: bool = False
) -> tuple[list[Function], InterpretedFrameMerger]:
    """Return the merged chain of a sample, whose frames the entries of runtimes.jsonl are."""
    header = {"format": "stallscope.managed-frames/1.2", "clock": "monotonic"}
    runtime = {"runtime": PID, "name": "ruby", "version": "3.1.7", "refusal": ""}
    runtime["loop"] = [16, 32, 14]
    functions = [
        {"function": number, "pid": PID, "name": name, "file": "/a.rb", "line": 1}
        | {"kind": "interpreted", "reason": "" if name else "function not readable"}
        | ({} if number == 2 else {"code": [100 * number, 100 * number + 80]})
        for number, name in ((1, "<main>"), (2, "Array#each"), (3, "block in <main>"), (4, ""))
    ]
    stacks = [
        {"stack": 1, "frames": [[2, 0, 0], [1, 5, 0]]},
        {"stack": 2, "frames": [[3, 6, 0]]},
        {"stack": 3, "frames": [[4, 0, 0]]},
    ]
    listed = [header, runtime, *functions, *stacks, *entries]
    (folder / "runtimes.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in listed))
    frames = read_managed_frames(folder)
    assert frames is not None
    assert not frames.warnings
    capture: Any = SimpleNamespace(
        threads=[SimpleNamespace(pid=PID, tid=TID)],
        thread=np.zeros(1, np.int64),
        time_ns=np.array([TIME_NS], np.uint64),
    )
    merger = InterpretedFrameMerger(frames, lines=lines)
    merged = merger(capture, named_chains(chain))
    return [merged.functions[at] for at in merged.chains.function.tolist()], merger


def sample(*runs: int) -> dict[str, Any]:
    return {"t": TIME_NS, "tid": TID, "pid": PID, "segments": [], "runs": list(runs)}


def names(chain: list[Function]) -> list[str]:
    return [function.name for function in chain]


def test_each_call_of_the_loop_is_replaced_by_its_frames(tmp_path: Path) -> None:
    chain, merger = merge(tmp_path, [LOOP, INNER, NATIVE, LOOP, INNER], sample(2, 1))
    assert names(chain) == ["<main>", "Array#each", "rb_ary_each", "block in <main>"]
    assert chain[0].kind == FunctionKind.RUBY
    (shares,) = merger.shares
    assert (shares.name, shares.samples, shares.named) == ("ruby", 1, 1)


def test_lines_of_the_innermost_frame_are_counted(tmp_path: Path) -> None:
    chain, _ = merge(tmp_path, [LOOP, NATIVE, LOOP], sample(2, 1), lines=True)
    assert chain[-1].lines == (("/a.rb:6", 1),)


def test_a_chain_of_another_moment_keeps_the_outer_names(tmp_path: Path) -> None:
    chain, merger = merge(tmp_path, [LOOP, NATIVE, LOOP], sample(1))
    assert names(chain)[:3] == ["<main>", "Array#each", "rb_ary_each"]
    assert names(chain)[3] == "[Ruby: name not available: moved-on]"
    assert merger.shares[0].failed == {"moved-on": 1}


def test_a_function_without_a_name_states_the_reason(tmp_path: Path) -> None:
    chain, merger = merge(tmp_path, [LOOP], sample(3))
    assert names(chain) == ["[Ruby: name not available: function not readable]"]
    assert merger.shares[0].failed == {"function not readable": 1}


def test_a_sample_that_was_not_read_keeps_its_native_chain(tmp_path: Path) -> None:
    late = {"t": TIME_NS, "tid": TID, "pid": PID, "failed": "late"}
    chain, merger = merge(tmp_path, [LOOP, NATIVE], late)
    assert names(chain) == ["rb_vm_exec", "rb_ary_each"]
    assert merger.shares[0].failed == {"late": 1}


def test_a_chain_without_the_loop_is_native(tmp_path: Path) -> None:
    chain, merger = merge(tmp_path, [NATIVE], sample())
    assert names(chain) == ["rb_ary_each"]
    assert merger.shares[0].named == 1


def test_runs_are_those_of_the_moment_of_the_sample(tmp_path: Path) -> None:
    chain, merger = merge(tmp_path, [LOOP, MAIN, INNER], sample(2, 1))
    assert names(chain) == ["<main>"]
    chain, merger = merge(tmp_path, [LOOP, MAIN, INNER, NATIVE, LOOP, BLOCK, INNER], sample(2, 1))
    assert names(chain) == ["<main>", "Array#each", "rb_ary_each", "block in <main>"]
    assert merger.shares[0].failed == {}


def test_a_function_that_no_stack_has_keeps_the_reason_of_its_sample(tmp_path: Path) -> None:
    late = {"t": TIME_NS, "tid": TID, "pid": PID, "failed": "late"}
    chain, merger = merge(tmp_path, [LOOP, MAIN, INNER, NATIVE], late)
    assert names(chain) == ["rb_vm_exec", "rb_ary_each"]
    assert merger.shares[0].failed == {"late": 1}
