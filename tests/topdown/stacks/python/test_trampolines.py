"""Python functions that perf trampolines name."""

import numpy as np
import pytest

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.python.trampolines import name_trampolines, trampoline_function
from topdown.stacks.symbols.function_table import FunctionTable

LOOP = "_PyEval_EvalFrameDefault"


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("py::main:/srv/a.py", Function("main", "/srv/a.py", FunctionKind.PYTHON)),
        ("py::C.f.<locals>.g:a:b.py", Function("C.f.<locals>.g", "a:b.py", FunctionKind.PYTHON)),
        ("py::main", None),
        ("main:/srv/a.py", None),
    ],
)
def test_a_trampoline_names_function_and_file(name: str, function: Function | None) -> None:
    assert trampoline_function(name) == function


def names_of(*chains: list[str]) -> list[list[str]]:
    """Return the names of chains after trampolines were named."""
    known = list(dict.fromkeys(name for chain in chains for name in chain))
    table = FunctionTable([]).extended([Function(n, "m", FunctionKind.USER) for n in known])
    offset = np.append(0, np.cumsum([len(chain) for chain in chains]))
    function = np.array([known.index(n) for chain in chains for n in chain], np.int64)
    merged, functions = name_trampolines(Chains(offset, function), table, range(len(known)))
    return [
        [functions[index].name for index in merged.function[begin:end].tolist()]
        for begin, end in zip(merged.offset[:-1], merged.offset[1:], strict=True)
    ]


def test_a_trampoline_and_its_evaluation_become_one_python_function() -> None:
    chain = ["main", "py::f:a.py", LOOP, "py::g:a.py", LOOP, "malloc"]
    assert names_of(chain) == [["main", "f", "g", "malloc"]]


def test_the_first_function_of_the_next_chain_is_kept() -> None:
    assert names_of(["main", "py::f:a.py"], ["main", "read"]) == [["main", "f"], ["main", "read"]]


def test_chains_without_trampolines_stay_as_they_are() -> None:
    assert names_of(["main", LOOP], []) == [["main", LOOP], []]
