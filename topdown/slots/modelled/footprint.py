"""Code that exceeds the capacity for decoded operations and jump targets.

The most executed code is kept. If kept code and the code that no longer fits are executed equally
often, they are in one loop, and least-recently-used replacement keeps none of it.
"""

from dataclasses import dataclass

from topdown.slots.modelled.callgrind_file import IR, CallgrindProfile
from topdown.slots.modelled.constants import profile_thresholds


@dataclass(frozen=True, slots=True)
class Footprint:
    """The counts below which code is not kept; 0 if all code is kept."""

    counts: dict[int, int]
    decoded_below: float
    targets: dict[int, int]
    target_below: float

    def is_decoded(self, address: int) -> bool:
        """Return whether this instruction is decoded at each execution."""
        return self.counts.get(address, 0) < self.decoded_below

    def loses_target(self, address: int) -> bool:
        """Return whether the target of jumps to this address is not kept."""
        return self.targets.get(address, 0) < self.target_below


def footprint(profile: CallgrindProfile, operations: int, targets: int) -> Footprint:
    """Return the code that exceeds these capacities for operations and jump targets."""
    counts = {address: cost[IR] for address, cost in profile.costs.items() if cost[IR]}
    reached: dict[int, int] = {}
    for table in (profile.jumps, profile.calls):
        for targets_of_source in table.values():
            for target, count in targets_of_source.items():
                reached[target] = reached.get(target, 0) + count
    return Footprint(counts, _below(counts, operations), reached, _below(reached, targets))


def _below(counts: dict[int, int], kept: int) -> float:
    if len(counts) <= kept:
        return 0
    ordered = sorted(counts.values(), reverse=True)
    return ordered[kept] * profile_thresholds().kept_as_often
