"""Which code is too much to be kept: decoded operations, and the targets of jumps.

What is executed most is kept. Where the kept and the next are executed equally often, the program
goes round, and least-recently-used replacement keeps none of them.
"""

from dataclasses import dataclass

from topdown.slots.modelled.callgrind_file import IR, Profile
from topdown.slots.modelled.constants import evidence


@dataclass(frozen=True, slots=True)
class Footprint:
    """The counts below which code is not kept; 0 where all of it is."""

    counts: dict[int, int]
    decoded_below: float
    targets: dict[int, int]
    target_below: float

    def is_decoded(self, address: int) -> bool:
        """Return whether this instruction is decoded anew each time."""
        return self.counts.get(address, 0) < self.decoded_below

    def loses_target(self, address: int) -> bool:
        """Return whether jumps to this place find no kept target."""
        return self.targets.get(address, 0) < self.target_below


def footprint(profile: Profile, operations: int, targets: int) -> Footprint:
    """Return which code exceeds so many kept operations and jump targets."""
    counts = {address: cost[IR] for address, cost in profile.costs.items() if cost[IR]}
    reached: dict[int, int] = {}
    for table in (profile.jumps, profile.calls):
        for places in table.values():
            for target, count in places.items():
                reached[target] = reached.get(target, 0) + count
    return Footprint(counts, _below(counts, operations), reached, _below(reached, targets))


def _below(counts: dict[int, int], kept: int) -> float:
    if len(counts) <= kept:
        return 0
    ordered = sorted(counts.values(), reverse=True)
    return ordered[kept] * evidence().kept_as_often
