"""Profiles from rows of frames."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from topdown.stacks.profile import Function, FunctionKind, Profile, SampleSource, Thread


def leaf_shares(profile: Profile) -> dict[str, float]:
    """Return the share of the weight of each function that is a leaf, by its name."""
    sums: Counter[str] = Counter()
    for node, value in zip(profile.weight_node, profile.weight_value, strict=True):
        sums[profile.functions[profile.node_function[node]].name] += int(value)
    return {name: value / sums.total() for name, value in sums.items()}


class ProfileBuilder:
    """Builds profiles from rows (frames from the root, samples, thread), with 1 ms per sample."""

    def __init__(self) -> None:
        self.functions = [Function("all", "", FunctionKind.ROOT)]
        self.parents, self.owners = [-1], [0]
        self.nodes: dict[tuple[int, int], int] = {}

    def _node(self, frames: Sequence[str | Function]) -> int:
        node = 0
        for frame in frames:
            function = (
                frame
                if isinstance(frame, Function)
                else Function(frame, "/bin/it", FunctionKind.USER)
            )
            if function not in self.functions:
                self.functions.append(function)
            owner = self.functions.index(function)
            if (node, owner) not in self.nodes:
                self.nodes[node, owner] = len(self.parents)
                self.parents.append(node)
                self.owners.append(owner)
            node = self.nodes[node, owner]
        return node

    def build(self, rows: Sequence[tuple[Any, ...]], **changes: Any) -> Profile:
        threads = changes.pop("threads", (Thread(1, 1, "it", "main"),))
        weighed = [(self._node(row[0]), row[1], row[2] if len(row) > 2 else 0) for row in rows]
        samples = np.array([row[1] for row in weighed], dtype=np.int64)
        defaults: dict[str, Any] = {
            "source": SampleSource("cpu-clock", "measured", "ns", 1000, None, "user+kernel"),
            "title": "it",
            "samples": int(samples.sum()),
            "lost": 0,
            "duration_s": 1.0,
            "unknown_share": 0.0,
            "truncated_share": 0.0,
        }
        return Profile(
            functions=tuple(self.functions),
            threads=tuple(threads),
            node_parent=np.array(self.parents, dtype=np.int32),
            node_function=np.array(self.owners, dtype=np.int32),
            weight_node=np.array([row[0] for row in weighed], dtype=np.int32),
            weight_thread=np.array([row[2] for row in weighed], dtype=np.int32),
            weight_samples=samples,
            weight_value=samples * 1_000_000,
            **(defaults | changes),
        )
