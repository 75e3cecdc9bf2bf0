"""Simulated runs of a program on machines of known noise, for the known answers of the gate.

Per run: spread, a random walk, a second mode in some processes, a penalty of the second run in a
block, and bursts of slow runs.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.bench.gate.blocks import Block, Slot, planned_block


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Shares of the run time, and probabilities."""

    spread: float
    walk: float
    mode: float = 0.0  # of 30 % of the processes
    second: float = 0.0  # of the second run in a block
    burst_start: float = 0.0
    burst_runs: float = 1.0  # mean
    burst: float = 0.0


CALM = Noise(spread=0.005, walk=0.0003)
NORMAL = Noise(
    spread=0.015, walk=0.002, mode=0.02, second=0.004, burst_start=0.02, burst_runs=8, burst=0.08
)
NOISY = Noise(
    spread=0.03, walk=0.004, mode=0.03, second=0.006, burst_start=0.06, burst_runs=12, burst=0.25
)
NOISES = {"calm": CALM, "normal": NORMAL, "noisy": NOISY}


class NoisyMachine:
    """A machine whose state goes on from run to run."""

    def __init__(self, noise: Noise, seed: int) -> None:
        """Begin at a random state."""
        self.random = random.Random(seed)
        self._noise = noise
        self._walk = 0.0
        self._burst_left = 0

    def run(self, *, slowdown: float, place: int) -> float:
        """Return the time of a run, about 1; ``place`` is that in its block, from 0."""
        noise, draw = self._noise, self.random
        self._walk += draw.gauss(0, noise.walk)
        if self._burst_left:
            self._burst_left -= 1
        elif draw.random() < noise.burst_start:
            self._burst_left = 1 + int(draw.expovariate(1 / noise.burst_runs))
        logarithm = self._walk + draw.gauss(0, noise.spread) + math.log1p(slowdown)
        logarithm += noise.mode * (draw.random() < 0.3) + noise.second * (place == 1)
        logarithm += noise.burst * (self._burst_left > 0)
        return math.exp(logarithm)

    def blocks(self, slowdown: float) -> "Callable[[int], Sequence[Block]]":
        """Return a function that measures blocks of a head slower by ``slowdown``."""

        def measure(count: int) -> list[Block]:
            return [self._block(slowdown) for _ in range(count)]

        return measure

    def _block(self, slowdown: float) -> Block:
        times = {
            run.slot: self.run(slowdown=slowdown * (run.slot is Slot.HEAD), place=place)
            for place, run in enumerate(planned_block(self.random))
        }
        return Block(
            base=times[Slot.BASE], base_again=times[Slot.BASE_AGAIN], head=times[Slot.HEAD]
        )
