"""Python functions that an interpreter names itself: perf trampolines of CPython 3.12 and later.

Each Python call goes through a piece of generated code of its own, which the interpreter's map
names py::FUNCTION:FILE, and which calls the evaluation loop and nothing else.
"""

from collections.abc import Iterable

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable

_PREFIX = "py::"


def trampoline_function(name: str) -> Function | None:
    """Return the Python function that a trampoline's name tells of, None where it is none."""
    qualified, colon, file = name.removeprefix(_PREFIX).partition(":")
    if not name.startswith(_PREFIX) or not colon:
        return None
    return Function(qualified, file, FunctionKind.PYTHON)


def name_trampolines(
    chains: Chains, functions: FunctionTable, among: Iterable[int]
) -> tuple[Chains, FunctionTable]:
    """Return the chains with Python functions for trampolines, without the evaluation each calls.

    ``among``: the functions that may be trampolines.
    """
    found = {at: trampoline_function(functions[at].name) for at in among}
    python = {at: function for at, function in found.items() if function is not None}
    if not python:
        return chains, functions
    renamed = np.arange(len(functions) + 1, dtype=np.int64)
    renamed[list(python)] = len(functions) + np.arange(len(python))
    is_python = np.isin(chains.function, list(python))
    called_by_one = np.append(False, is_python[:-1]) & ~is_python
    called_by_one[chains.offset[:-1][np.diff(chains.offset) > 0]] = False
    kept = ~called_by_one
    bounds = np.append(0, np.cumsum(kept))
    function = renamed[chains.function[kept]]
    return Chains(bounds[chains.offset], function), functions.extended(tuple(python.values()))
