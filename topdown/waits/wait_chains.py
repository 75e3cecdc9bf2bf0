"""The result of following waits to their causes: edges, chains of groups, and their ends."""

from dataclasses import dataclass, field
from enum import IntEnum


class Activity(IntEnum):
    """What a thread does, as far as waits for it are concerned."""

    RUN = 0
    QUEUE = 1  # waits for a CPU
    WAIT = 2  # waits for a node
    UNKNOWN = 3  # no record says what it does
    CYCLE = 4  # leaf only: waits for a thread of the same chain


@dataclass(frozen=True, slots=True)
class Leaf:
    """Time at the end of a chain. ``chain``: see ``Cascade.steps``."""

    chain: int
    node: int
    activity: Activity
    wait_ns: int


@dataclass(slots=True)
class Cascade:
    """Edges and blame of waits.

    ``edges``: nanoseconds per (waiting node, node that it waits for). ``leaves``: blame. A chain is
    a sequence of groups; ``chain_ns`` is the waiting time that passed through it.
    ``followed_share``: share of the waits that was followed; the result is scaled to all.
    """

    edges: dict[tuple[int, int], int] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)
    chain_parent: list[int] = field(default_factory=list)
    chain_group: list[int] = field(default_factory=list)
    chain_ns: list[int] = field(default_factory=list)
    followed_share: float = 1.0

    def steps(self, chain: int) -> list[tuple[int, int]]:
        """Return (group, nanoseconds of the wait for it) from the first waiting group on."""
        return [(self.chain_group[step], self.chain_ns[step]) for step in self.path(chain)]

    def path(self, chain: int) -> list[int]:
        """Return the chains that a chain begins with, the shortest first, and itself."""
        path = []
        while chain >= 0:
            path.append(chain)
            chain = self.chain_parent[chain]
        return path[::-1]

    def blame(self) -> dict[tuple[int, Activity], int]:
        """Return nanoseconds per node and activity at the ends of chains."""
        sums: dict[tuple[int, Activity], int] = {}
        for leaf in self.leaves:
            key = leaf.node, leaf.activity
            sums[key] = sums.get(key, 0) + leaf.wait_ns
        return sums
