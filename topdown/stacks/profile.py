"""A profile: the samples of a capture, folded to a weighted tree of named functions."""

import math
from collections.abc import Sequence
from enum import IntEnum

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.sample_counts import SampleCounts
from topdown.stacks.sample_times import SampleTimes

UNKNOWN_SCOPE = "unknown scope"  # the file does not say which modes were sampled


class FunctionKind(IntEnum):
    """Kind of a function in a profile."""

    USER = 0
    KERNEL = 1
    INLINED = 2  # a function inlined into its parent node's function
    UNKNOWN = 3  # an address without a symbol; the name is module+0xoffset
    ROOT = 4  # node 0 only
    PYTHON = 5  # a function of Python code; the module is its file
    TRUNCATED = 6  # child of the root: groups the truncated chains of one reason
    WAKER = 7  # names what ended a wait; above it are the waker's functions, innermost first
    JAVASCRIPT = 8  # a function that V8 runs; the module is its script
    JAVA = 9  # a method that HotSpot runs; the module is its class
    RUBY = 10  # a Ruby method; the module is its file
    PHP = 11  # a PHP function; the module is its file
    MANAGED_RUN = 12  # the name is the number of a run of managed frames, which replaces it
    EXECUTED_CODE = 13  # the name is the number of an interpreter's code, which is merged


class Function(Struct, frozen=True, gc=False):
    """A function of a call chain: demangled name and module, unescaped."""

    name: str
    module: str  # path of the file, "[kernel]", "[vdso]", "[jit]" or "[unknown]"
    kind: FunctionKind
    # Hottest source lines if requested: ("path:line", number of samples), most samples first.
    lines: tuple[tuple[str, int], ...] = ()


class SourceLineCounts(Struct, frozen=True):
    """Samples on a source line: in its own code, and with what it calls (once per stack)."""

    line: str  # "path:line"
    function: str
    module: str
    self_samples: int
    total_samples: int


class Thread(Struct, frozen=True):
    """A sampled thread; names as the kernel reports them, decoded with replacement."""

    pid: int
    tid: int
    process_name: str
    thread_name: str


class SampleSource(Struct, frozen=True):
    """The sampled event: the source of the numbers."""

    event: str  # "cpu-clock", "cycles", ...
    kind: str  # "measured", "modelled" or "unavailable"
    unit: str  # what a weight counts: "ns" for clocks, else "events"
    frequency_hz: int | None  # None if a fixed period was requested
    period: int | None
    scope: str  # "user+kernel", "user", "kernel", or UNKNOWN_SCOPE


class StackShares(Struct, frozen=True):
    """Shares of the weight with complete and truncated chains, 0..1; NaN if not known.

    ``reasons``: (reason of truncation, share), the largest share first.
    """

    complete: float
    truncated: float
    cut_by_copy: float  # truncated because the copied stack was too short
    reasons: tuple[tuple[str, float], ...] = ()


UNKNOWN_STACK_SHARES = StackShares(math.nan, math.nan, math.nan)


class Profile(Struct, frozen=True):
    """Samples folded to a call tree, with weights by (node, thread).

    Nodes: ``node_parent`` int32 (n_nodes,), -1 at node 0, every parent before its children;
    ``node_function`` int32 (n_nodes,), index into ``functions``; node 0 is the root.
    Weights, one row per (leaf node, thread) pair that was sampled:
    ``weight_node`` int32, ``weight_thread`` int32 (index into ``threads``), ``weight_samples``
    int64 (number of samples), ``weight_value`` int64 (sum of their periods, in ``source.unit``).
    Shares are of weight_value, 0..1; NaN if there is no sample.
    ``counted``: counts by sample if a group of events was recorded; None in pruned profiles.
    ``times``: times of the samples if requested; None in pruned profiles.
    """

    source: SampleSource
    title: str
    samples: int
    lost: int | None  # None: not known
    duration_s: float
    functions: Sequence[Function]
    threads: tuple[Thread, ...]
    node_parent: npt.NDArray[np.int32]
    node_function: npt.NDArray[np.int32]
    weight_node: npt.NDArray[np.int32]
    weight_thread: npt.NDArray[np.int32]
    weight_samples: npt.NDArray[np.int64]
    weight_value: npt.NDArray[np.int64]
    unknown_share: float  # of leaves without a symbol
    truncated_share: float  # of chains that do not reach _start or the thread's entry
    warnings: tuple[ProfileWarning, ...] = ()
    stack_shares: StackShares = UNKNOWN_STACK_SHARES
    counted: SampleCounts | None = None
    times: SampleTimes | None = None
    lines: tuple[SourceLineCounts, ...] = ()  # of native code, if requested; most samples first
