"""Builds a profile from stacks of named functions."""

import math
from collections.abc import Iterable

import numpy as np

from topdown.stacks.formats.sample_track import SampleTrack
from topdown.stacks.leaf_shares import leaf_shares
from topdown.stacks.profile import (
    Function,
    FunctionKind,
    Profile,
    SampleSource,
    Thread,
)
from topdown.stacks.profile_warning import ProfileWarning

UNNAMED = ("", "[unknown]", "unknown", "??")
_TRUNCATED = "[truncated"
MAX_DEPTH = 8192  # frames of a stack; a file that needs more would take memory by depth x stacks
_LARGEST = (1 << 63) - 1


class ProfileBuilder:
    """Adds stacks to a tree of functions.

        builder = ProfileBuilder()
        main = builder.function("main", "/bin/server", FunctionKind.USER)
        builder.add([main], builder.thread(Thread(1, 1, "server", "server")), samples=1, value=5)
        profile = builder.build(source, "server")

    Costs one dictionary entry per node of the tree, function and thread. ``track`` takes the times
    of samples, if the format has them.
    """

    def __init__(self) -> None:
        """Start with the root."""
        self.track = SampleTrack()
        self._functions = [Function("all", "", FunctionKind.ROOT)]
        self._function_numbers: dict[tuple[str, str, FunctionKind], int] = {}
        self._threads: list[Thread] = []
        self._thread_numbers: dict[Thread, int] = {}
        self._parents, self._owners, self._depths = [-1], [0], [0]
        self._cut = 0
        self._nodes: dict[tuple[int, int], int] = {}
        self._weights: dict[tuple[int, int], list[int]] = {}

    def function(self, name: str, module: str, kind: FunctionKind) -> int:
        """Return the number of a function."""
        key = (name, module, kind)
        number = self._function_numbers.get(key)
        if number is None:
            number = self._function_numbers[key] = len(self._functions)
            self._functions.append(Function(name, module, kind))
        return number

    def thread(self, thread: Thread) -> int:
        """Return the number of a thread."""
        number = self._thread_numbers.get(thread)
        if number is None:
            number = self._thread_numbers[thread] = len(self._threads)
            self._threads.append(thread)
        return number

    def node(self, caller: int, function: int) -> int:
        """Return the node of a function that ``caller`` calls; node 0 is the root.

        Below MAX_DEPTH it is ``caller``: deeper frames are left out, with a warning.
        """
        key = (caller, function)
        child = self._nodes.get(key)
        if child is None:
            if self._depths[caller] == MAX_DEPTH:
                self._cut += 1
                return caller
            child = self._nodes[key] = len(self._parents)
            self._parents.append(caller)
            self._owners.append(function)
            self._depths.append(self._depths[caller] + 1)
        return child

    def add(self, frames: Iterable[int], thread: int, *, samples: int, value: int) -> int:
        """Add samples of a stack: numbers of functions, outermost first. Return its node."""
        node = 0
        for function in frames:
            node = self.node(node, function)
        self.add_at(node, thread, samples=samples, value=value)
        return node

    def add_at(self, node: int, thread: int, *, samples: int, value: int) -> None:
        """Add samples whose innermost function is that of a node."""
        weight = self._weights.setdefault((node, thread), [0, 0])
        weight[0] = min(weight[0] + samples, _LARGEST)
        weight[1] = min(weight[1] + value, _LARGEST)

    def build(
        self,
        source: SampleSource,
        title: str,
        *,
        duration_s: float = math.nan,
        warnings: tuple[ProfileWarning, ...] = (),
    ) -> Profile:
        """Return the profile. Such formats do not say how many samples were lost.

        ``duration_s``: NaN if the file does not state it; then it is that of the times.
        """
        if self._cut:
            message = f"{self._cut:,} frames deeper than {MAX_DEPTH:,} are left out"
            warnings += (ProfileWarning("import", message),)
        rows = [
            (node, thread, samples, value)
            for (node, thread), (samples, value) in self._weights.items()
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, 4)
        parent = np.array(self._parents, dtype=np.int32)
        function = np.array(self._owners, dtype=np.int32)
        node, value = table[:, 0].astype(np.int32), table[:, 3].copy()
        unknown, truncated = leaf_shares(self._functions, parent, function, node, value)
        times, notes = self.track.times(sum(row[3] for row in rows))
        if times is not None and math.isnan(duration_s):
            duration_s = times.last_ns / 1e9
        return Profile(
            source=source,
            title=title,
            samples=int(table[:, 2].sum()),
            lost=None,
            duration_s=duration_s,
            functions=tuple(self._functions),
            threads=tuple(self._threads),
            node_parent=parent,
            node_function=function,
            weight_node=node,
            weight_thread=table[:, 1].astype(np.int32),
            weight_samples=table[:, 2].copy(),
            weight_value=value,
            unknown_share=unknown,
            truncated_share=truncated,
            warnings=(*warnings, *notes),
            times=times,
        )


def kind_of(name: str, module: str) -> FunctionKind:
    """Return the kind of a function whose format does not say it."""
    if name.startswith(_TRUNCATED):
        return FunctionKind.TRUNCATED
    if name in UNNAMED:
        return FunctionKind.UNKNOWN
    if module == "[kernel]" or module.endswith("vmlinux"):
        return FunctionKind.KERNEL
    return FunctionKind.USER
