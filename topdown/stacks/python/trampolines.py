"""Python functions named by perf trampolines of CPython 3.12 and later.

With trampolines, each Python function is called through its own generated code, which only calls
the evaluation loop and which the interpreter's JIT map names py::FUNCTION:FILE.
"""

from collections.abc import Iterable

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable

_PREFIX = "py::"


def trampoline_function(name: str) -> Function | None:
    """Return the Python function of a trampoline's name, None for other names."""
    qualified, colon, file = name.removeprefix(_PREFIX).partition(":")
    if not name.startswith(_PREFIX) or not colon:
        return None
    return Function(qualified, file, FunctionKind.PYTHON)


def name_trampolines(
    chains: Chains, functions: FunctionTable, candidates: Iterable[int]
) -> tuple[Chains, FunctionTable]:
    """Return the chains with each trampoline and its evaluation replaced by a Python function.

    ``candidates``: the functions that may be trampolines.
    """
    named = {index: trampoline_function(functions[index].name) for index in candidates}
    python = {index: function for index, function in named.items() if function is not None}
    if not python:
        return chains, functions
    renamed = np.arange(len(functions) + 1, dtype=np.int64)
    renamed[list(python)] = len(functions) + np.arange(len(python))
    is_python = np.isin(chains.function, list(python))
    is_called_by_trampoline = np.append(False, is_python[:-1]) & ~is_python
    is_called_by_trampoline[chains.offset[:-1][np.diff(chains.offset) > 0]] = False
    is_kept = ~is_called_by_trampoline
    bounds = np.append(0, np.cumsum(is_kept))
    function = renamed[chains.function[is_kept]]
    return Chains(bounds[chains.offset], function), functions.extended(tuple(python.values()))
