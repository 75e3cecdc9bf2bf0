"""How often each instruction missed which cache, and was mispredicted, turn by turn.

Two simulations with last-level caches of the host's second and third level tell three levels
apart. Misses come as evenly as their share says: every eighth load of a stream, not at random.
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
    Profile,
)
from topdown.slots.modelled.instructions import Instruction

L1, L2, L3, DRAM = 1, 2, 3, 4
_NOTHING = [0] * (BIM + 1)


@dataclass(slots=True)
class MissSource:
    """Draws, for one instruction after another, the level that has what it asks for.

    ``near`` is the profile simulated with the second level as last, where there is one: without,
    what the last level has is the third level's.
    """

    far: Profile
    near: Profile | None
    _owed: dict[tuple[int, int, int], float] = field(default_factory=dict)

    def load_level(self, address: int) -> int:
        """Return the level that has what this load asks for."""
        return self._level(address, (DR, D1MR, DLMR))

    def store_level(self, address: int) -> int:
        """Return the level that has the line that this store writes to."""
        return self._level(address, (DW, D1MW, DLMW))

    def code_level(self, address: int) -> int:
        """Return the level that has this instruction."""
        return self._level(address, (IR, I1MR, ILMR))

    def mispredicted(self, address: int, instruction: Instruction) -> bool:
        """Return whether the simulated predictor is wrong this time."""
        if instruction.flow == "next" and not instruction.repeats:
            return False
        cost = self.far.costs.get(address, _NOTHING)
        missed, reached = cost[BCM] + cost[BIM], cost[BC] + cost[BI]
        return missed > 0 and self._turn(address, BCM, 0, missed / max(reached, missed))

    def _level(self, address: int, events: tuple[int, int, int]) -> int:
        asked, first, last = events
        cost = self.far.costs.get(address, _NOTHING)
        if not cost[first]:
            return L1
        if not self._turn(address, asked, L1, cost[first] / max(cost[asked], cost[first])):
            return L1
        beyond_l2 = cost[last]
        if self.near is None:
            beyond_l2 = cost[first]
        else:
            beyond_l2 = max(beyond_l2, self.near.costs.get(address, _NOTHING)[last])
        beyond_l2 = min(beyond_l2, cost[first])
        if not beyond_l2 or not self._turn(address, asked, L2, beyond_l2 / cost[first]):
            return L2
        share = min(1.0, cost[last] / beyond_l2)
        return DRAM if share and self._turn(address, asked, L3, share) else L3

    def _turn(self, address: int, event: int, level: int, share: float) -> bool:
        key = (address, event, level)
        owed = self._owed.get(key, 0.5) + share
        hit = owed >= 1
        self._owed[key] = owed - 1 if hit else owed
        return hit
