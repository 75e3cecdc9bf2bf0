"""A profile: the samples of a capture, folded to one weighted tree of named functions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from topdown.stacks.sample_counts import SampleCounts


class FunctionKind(IntEnum):
    """Where a function of a profile lives."""

    USER = 0
    KERNEL = 1
    INLINED = 2  # a function inlined into its parent node's function
    UNKNOWN = 3  # an address without a symbol; the name is module+0xoffset
    ROOT = 4  # node 0 only
    PYTHON = 5  # a function of Python code; the module is its file
    TRUNCATED = 6  # below the root only: chains that were cut short stand under it, by reason


@dataclass(frozen=True, slots=True)
class Function:
    """A function that stood on a stack: demangled name and module as they are, unescaped."""

    name: str
    module: str  # path of the file, "[kernel]", "[vdso]", "[jit]" or "[unknown]"
    kind: FunctionKind
    # The hottest source lines where asked for: ("path:line", samples on it), most samples first.
    lines: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that was sampled; names as the kernel gave them, decoded with replacement."""

    pid: int
    tid: int
    process_name: str
    thread_name: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where the numbers come from."""

    event: str  # "cpu-clock", "cycles", ...
    kind: str  # "measured", "modelled" or "unavailable"
    unit: str  # what a weight counts: "ns" for clocks, else "events"
    frequency_hz: int | None  # None where a fixed period was asked for
    period: int | None
    scope: str  # "user+kernel", "user" or "kernel"


@dataclass(frozen=True, slots=True)
class StackShares:
    """How much of the weight has a whole chain, 0..1; NaN where there is no sample, or not told.

    ``reasons``: why the others are truncated, in words, each with its share, largest first.
    """

    complete: float
    truncated: float
    cut_by_copy: float  # truncated because the copied stack did not reach far enough
    reasons: tuple[tuple[str, float], ...] = ()


SHARES_NOT_TOLD = StackShares(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class ProfileWarning:
    """Something a reader of the numbers must know; travels inside the result."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Profile:
    """Samples folded to a tree of calls, root first, with weights by (node, thread).

    Nodes: ``node_parent`` int32 (n_nodes,), -1 at node 0, every parent before its children;
    ``node_function`` int32 (n_nodes,), index into ``functions``; node 0 is the root.
    Weights, one row per (node, thread) that was sampled with that node as its leaf:
    ``weight_node`` int32, ``weight_thread`` int32 (index into ``threads``), ``weight_samples``
    int64 (number of samples), ``weight_value`` int64 (sum of their periods, in ``source.unit``).
    Shares are of weight_value, 0..1; NaN where there is no sample.
    ``counted``: what was counted with each sample, where a group of events was; pruned profiles
    have none.
    """

    source: Source
    title: str
    samples: int
    lost: int
    duration_s: float
    functions: Sequence[Function]
    threads: tuple[Thread, ...]
    node_parent: npt.NDArray[np.int32]
    node_function: npt.NDArray[np.int32]
    weight_node: npt.NDArray[np.int32]
    weight_thread: npt.NDArray[np.int32]
    weight_samples: npt.NDArray[np.int64]
    weight_value: npt.NDArray[np.int64]
    unknown_share: float  # leaf without a symbol
    truncated_share: float  # chain does not reach _start or its thread's entry
    warnings: tuple[ProfileWarning, ...] = ()
    stack_shares: StackShares = SHARES_NOT_TOLD
    counted: SampleCounts | None = None
