"""Cache levels and mispredictions of each execution of an instruction.

Two simulations, with the host's second and third level as the last level, distinguish three levels.
Misses are distributed evenly and not at random: for example every eighth load of a stream.
"""

from dataclasses import dataclass, field

from topdown.slots.modelled.callgrind_file import (
    BC,
    BCM,
    BI,
    BIM,
    D1MR,
    D1MW,
    DLMR,
    DLMW,
    DR,
    DW,
    I1MR,
    ILMR,
    IR,
    CallgrindProfile,
)
from topdown.slots.modelled.instructions import Instruction

L1, L2, L3, DRAM = 1, 2, 3, 4
_NOTHING = [0] * (BIM + 1)


@dataclass(slots=True)
class MissSource:
    """Selects the cache level of each execution of an instruction.

    ``near`` is the profile with the second level as the last one. Without it, hits in the last
    level are hits in the third level.
    """

    far: CallgrindProfile
    near: CallgrindProfile | None
    _owed: dict[tuple[int, int, int], float] = field(default_factory=dict)

    def load_level(self, address: int) -> int:
        """Return the level of a load."""
        return self._level(address, (DR, D1MR, DLMR))

    def store_level(self, address: int) -> int:
        """Return the level of the line that a store writes to."""
        return self._level(address, (DW, D1MW, DLMW))

    def code_level(self, address: int) -> int:
        """Return the level of the instruction's code."""
        return self._level(address, (IR, I1MR, ILMR))

    def mispredicted(self, address: int, instruction: Instruction) -> bool:
        """Return whether this execution is mispredicted by the simulated predictor."""
        if instruction.flow == "next" and not instruction.repeats:
            return False
        cost = self.far.costs.get(address, _NOTHING)
        missed, reached = cost[BCM] + cost[BIM], cost[BC] + cost[BI]
        return missed > 0 and self._is_due(address, BCM, 0, missed / max(reached, missed))

    def _level(self, address: int, events: tuple[int, int, int]) -> int:
        accesses, first, last = events
        cost = self.far.costs.get(address, _NOTHING)
        if not cost[first]:
            return L1
        if not self._is_due(address, accesses, L1, cost[first] / max(cost[accesses], cost[first])):
            return L1
        beyond_l2 = cost[last]
        if self.near is None:
            beyond_l2 = cost[first]
        else:
            beyond_l2 = max(beyond_l2, self.near.costs.get(address, _NOTHING)[last])
        beyond_l2 = min(beyond_l2, cost[first])
        if not beyond_l2 or not self._is_due(address, accesses, L2, beyond_l2 / cost[first]):
            return L2
        share = min(1.0, cost[last] / beyond_l2)
        return DRAM if share and self._is_due(address, accesses, L3, share) else L3

    def _is_due(self, address: int, event: int, level: int, share: float) -> bool:
        key = (address, event, level)
        owed = self._owed.get(key, 0.5) + share
        hit = owed >= 1
        self._owed[key] = owed - 1 if hit else owed
        return hit
