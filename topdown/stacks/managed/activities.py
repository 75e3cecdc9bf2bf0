"""Garbage collection, parsing and compiling of V8, shown as such.

They are native functions of V8. The outermost one of a chain gets a caller that names the activity.
"""

import re

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable

_ACTIVITIES = (
    (
        "[garbage collection]",
        (
            r"Heap::(CollectGarbage|PerformGarbageCollection|Scavenge|MarkCompact)|Scavenger"
            r"|MarkCompactCollector|ConcurrentMarking|MinorMarkSweep|Sweeper|MarkingVisitor"
            r"|PointersUpdatingJob|MemoryAllocator::Unmapper"
        ),
    ),
    ("[parsing]", r"parsing::|Parser|PreParser|Scanner"),
    (
        "[compiling]",
        (
            r"Compiler::|compiler::|maglev::|baseline::|TurboshaftCompil|OptimizedCompilationJob"
            r"|interpreter::(BytecodeGenerator|Interpreter)"
        ),
    ),
)
_PATTERNS = tuple(
    (name, re.compile(rf"v8::internal::({pattern})")) for name, pattern in _ACTIVITIES
)


def with_activities(
    chains: Chains, functions: FunctionTable, selected: npt.NDArray[np.bool_]
) -> tuple[Chains, FunctionTable]:
    """Return the selected chains with named activities, and the table with them appended."""
    of_frame = np.repeat(selected, np.diff(chains.offset))
    kinds = functions.kinds()
    used = np.unique(chains.function[of_frame])
    native = used[kinds[used] == FunctionKind.USER].tolist()
    added: list[Function] = []
    for name, pattern in _PATTERNS:
        matching = [index for index in native if pattern.search(functions[index].name)]
        if matching:
            chains = _with_caller(chains, matching, selected, len(functions) + len(added))
            added.append(Function(name, "[v8]", FunctionKind.JAVASCRIPT))
    return chains, functions.extended(added)


def _with_caller(
    chains: Chains, callees: list[int], selected: npt.NDArray[np.bool_], caller: int
) -> Chains:
    """Return the chains with a caller of the outermost callee of each selected chain."""
    frames = np.flatnonzero(np.isin(chains.function, callees))
    of_chain, first = np.unique(
        np.searchsorted(chains.offset, frames, "right") - 1, return_index=True
    )
    chosen = selected[of_chain]
    places = frames[first][chosen]
    count = np.zeros(len(chains.offset) - 1, np.int64)
    count[of_chain[chosen]] = 1
    return Chains(
        chains.offset + np.append(0, np.cumsum(count)), np.insert(chains.function, places, caller)
    )
