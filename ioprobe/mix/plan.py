"""The cells of a read/write matrix and of request sizes: which, how long, and in which order.

Rates are shares of what the disk does of reads alone and of writes alone, so that the grid lies
where the disk's own limits are.
"""

from collections.abc import Iterator
from dataclasses import dataclass

KIB, MIB = 2**10, 2**20
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)
SIZE_SHARES = (0.25, 0.5, 0.75, 0.9)
SIZES_BYTES = (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB)
LEAST_REQUESTS = 100  # in a cell, so that one more or less is no miss
LONGEST_S = 20.0
MOST_BYTES_IN_FLIGHT = 32 * MIB


@dataclass(frozen=True, slots=True)
class MixStep:
    """One run to be made; without a rate it is a closed loop of ``depth`` requests in flight.

    With a rate ``depth`` is the most that may be in flight.
    """

    block_bytes: int
    depth: int
    read_share: float
    rate_per_s: float | None
    warmup_s: float
    duration_s: float
    seed: int
    pattern: str = "random"


@dataclass(frozen=True, slots=True)
class MixPlan:
    """What was asked; ``duration_s`` and ``warmup_s`` are of each cell, the first share is 0."""

    block_bytes: int = 4 * KIB
    sizes_bytes: tuple[int, ...] = SIZES_BYTES
    shares: tuple[float, ...] = SHARES
    size_shares: tuple[float, ...] = SIZE_SHARES
    writes: bool = True
    most_depth: int = 256
    duration_s: float = 0.6
    warmup_s: float = 0.1
    seed: int = 1

    @property
    def length_s(self) -> float:
        """Return how long a cell takes."""
        return self.duration_s + self.warmup_s

    def depth(self, block_bytes: int) -> int:
        """Return the most requests of a size that are to be in flight."""
        return max(1, min(self.most_depth, MOST_BYTES_IN_FLIGHT // block_bytes))

    def step(self, block_bytes: int, read_share: float, rate_per_s: float, seed: int) -> MixStep:
        """Return a run of an open loop."""
        depth = self.depth(block_bytes)
        duration_s = max(self.duration_s, min(LONGEST_S, LEAST_REQUESTS / rate_per_s))
        return MixStep(block_bytes, depth, read_share, rate_per_s, self.warmup_s, duration_s, seed)

    def climb(self, block_bytes: int, read_share: float) -> Iterator[MixStep]:
        """Yield closed loops, each with four times the requests in flight, to find the most."""
        most, depth = self.depth(block_bytes), 1
        while True:
            yield MixStep(
                block_bytes, depth, read_share, None, self.warmup_s, self.duration_s / 2, self.seed
            )
            if depth == most:
                return
            depth = min(4 * depth, most)

    def places(self) -> list[tuple[int, int]]:
        """Return the matrix's cells, (read, write) by their places in ``shares``: the least load
        first, so that what is beyond one that missed need not be tried."""
        count = len(self.shares)
        cells = [(r, w) for r in range(count) for w in range(count) if r or w]
        return sorted(cells, key=lambda at: (self.shares[at[0]] + self.shares[at[1]], at))
