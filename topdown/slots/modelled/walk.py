"""Synthetic execution sequences along the counted jumps and calls of a profile.

Callgrind counts jumps without their order. Starts of walks are distributed in proportion to
execution counts. At each branch a walk takes the direction that is furthest below its counted
share, so that shares are exact and a loop has its average number of iterations
(statistical simulation: Eeckhout, Computer Architecture Performance Evaluation Methods, 2010).
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

from topdown.slots.modelled.callgrind_file import IR, CallgrindProfile
from topdown.slots.modelled.disassembly import DisassemblyLine
from topdown.slots.modelled.instructions import Flow

MAX_CALL_DEPTH = 4096


@dataclass(frozen=True, slots=True)
class Step:
    """An executed instruction of a walk; ``jumped`` if a jump led to it."""

    address: int
    jumped: bool


@dataclass(slots=True)
class BranchChoices:
    """Chooses directions in exact proportion to their weights."""

    debts: dict[int, dict[int, float]] = field(default_factory=dict)

    def choose(self, branch: int, weights: dict[int, int]) -> int:
        """Return the next direction of a branch; the sum of weights must be positive."""
        if len(weights) == 1:
            return next(iter(weights))
        total = sum(weights.values())
        debts = self.debts.setdefault(branch, dict.fromkeys(weights, 0.0))
        for choice, weight in weights.items():
            debts[choice] += weight / total
        chosen = max(debts, key=debts.__getitem__)
        debts[chosen] -= 1
        return chosen


class Walker:
    """Makes walks through a profile; choices continue from walk to walk."""

    def __init__(self, profile: CallgrindProfile, lines: dict[int, DisassemblyLine]) -> None:
        """Use the counts and the disassembled instructions."""
        self._profile = profile
        self._lines = lines
        self._choices = BranchChoices()
        counts = [
            (address, cost[IR])
            for address, cost in sorted(profile.costs.items())
            if cost[IR] and address in lines
        ]
        self._starts = [address for address, _ in counts]
        self._sums = list(accumulate(count for _, count in counts))
        self.known_instructions = self._sums[-1] if self._sums else 0

    def walks(self, count: int, length: int) -> list[list[Step]]:
        """Return walks of limited length, whose starts are spread evenly over executions."""
        if not self._sums:
            return []
        gap = self._sums[-1] / count
        starts = [
            self._starts[bisect_right(self._sums, (number + 0.5) * gap)] for number in range(count)
        ]
        return [self._walk(start, length) for start in starts]

    def _walk(self, start: int, length: int) -> list[Step]:
        steps: list[Step] = []
        returns: list[int] = []
        address: int | None = start
        jumped = False
        while address is not None and len(steps) < length:
            steps.append(Step(address, jumped))
            current = address
            following, address = self._after(current, returns)
            jumped = address not in (following, current)  # a repeated string instruction stays
        return steps

    def _after(self, address: int, returns: list[int]) -> tuple[int | None, int | None]:
        """Return the following instruction in memory, and the next one executed."""
        line = self._lines.get(address)
        calls = self._profile.calls.get(address)
        jumps = self._profile.jumps.get(address)
        following = line.following if line is not None else None
        flow = line.instruction.flow if line is not None else Flow.JUMP
        if line is not None and line.instruction.repeats:
            flow = Flow.CONDITIONAL  # callgrind counts each repetition as a jump
        if flow is Flow.RETURN:
            return following, self._returned(address, returns)
        if calls and (flow is not Flow.NEXT):
            if flow is Flow.CALL and following is not None:
                returns.append(following)
                del returns[:-MAX_CALL_DEPTH]
            weights = calls | (jumps or {}) if flow is not Flow.CALL else calls
            if flow is Flow.CONDITIONAL and following is not None:
                weights = self._with_fall_through(address, weights, following)
            return following, self._choices.choose(address, weights)
        if jumps and flow is Flow.CONDITIONAL and following is not None:
            weights = self._with_fall_through(address, jumps, following)
            return following, self._choices.choose(address, weights)
        if jumps and flow is Flow.JUMP:
            return following, self._choices.choose(address, jumps)
        if flow in (Flow.JUMP, Flow.CALL):
            return following, None if flow is Flow.JUMP else self._if_executed(following)
        return following, self._if_executed(following)

    def _with_fall_through(
        self, address: int, jumps: dict[int, int], following: int
    ) -> dict[int, int]:
        taken = sum(jumps.values())
        reached = max(self._profile.costs.get(address, [0])[IR], taken, 1)
        weights = dict(jumps)
        if reached > taken:
            weights[following] = weights.get(following, 0) + reached - taken
        return weights

    def _returned(self, address: int, returns: list[int]) -> int | None:
        if returns:
            return returns.pop()
        function = self._profile.function_of.get(address, -1)
        callers = self._profile.callers.get(function)
        if not callers:
            return None
        site = self._choices.choose(-1 - function, callers)
        line = self._lines.get(site)
        return None if line is None else self._if_executed(line.following)

    def _if_executed(self, address: int | None) -> int | None:
        return address if address in self._profile.costs else None
