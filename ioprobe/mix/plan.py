"""The plan of a read/write matrix and a table of request sizes: cells, their length and order.

Rates are shares of the disk's maximum for reads alone and for writes alone, so that the grid covers
the range up to the disk's own limits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

KIB, MIB = 2**10, 2**20
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)
SIZE_SHARES = (0.25, 0.5, 0.75, 0.9)
SIZES_BYTES = (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB)
MIN_REQUESTS = 100  # per cell, so that a difference of one request does not miss the load
MAX_STEP_S = 20.0
MAX_BYTES_IN_FLIGHT = 32 * MIB


@dataclass(frozen=True, slots=True)
class MixStep:
    """One run to measure; without a rate it is a closed loop of ``depth`` requests in flight.

    With a rate ``depth`` is the limit of requests in flight.
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
    """Parameters of a mix; ``duration_s`` and ``warmup_s`` apply to each cell.

    The first element of ``shares`` is 0.
    """

    block_bytes: int = 4 * KIB
    sizes_bytes: tuple[int, ...] = SIZES_BYTES
    shares: tuple[float, ...] = SHARES
    size_shares: tuple[float, ...] = SIZE_SHARES
    writes: bool = True
    max_depth: int = 256
    duration_s: float = 0.6
    warmup_s: float = 0.1
    seed: int = 1

    @property
    def length_s(self) -> float:
        """Return the length of a cell with its warm-up."""
        return self.duration_s + self.warmup_s

    def depth(self, block_bytes: int) -> int:
        """Return the limit of requests in flight for a request size."""
        return max(1, min(self.max_depth, MAX_BYTES_IN_FLIGHT // block_bytes))

    def step(self, block_bytes: int, read_share: float, rate_per_s: float, seed: int) -> MixStep:
        """Return a run of an open loop."""
        depth = self.depth(block_bytes)
        duration_s = max(self.duration_s, min(MAX_STEP_S, MIN_REQUESTS / rate_per_s))
        return MixStep(block_bytes, depth, read_share, rate_per_s, self.warmup_s, duration_s, seed)

    def climb(self, block_bytes: int, read_share: float) -> Iterator[MixStep]:
        """Yield closed loops with four times the depth each, to find the maximum rate."""
        limit, depth = self.depth(block_bytes), 1
        while True:
            yield MixStep(
                block_bytes, depth, read_share, None, self.warmup_s, self.duration_s / 2, self.seed
            )
            if depth == limit:
                return
            depth = min(4 * depth, limit)

    def cell_indices(self) -> list[tuple[int, int]]:
        """Return the cells as (read, write) indices into ``shares``, the smallest load first.

        A cell that does not reach its load is then measured before those with more of both loads.
        """
        count = len(self.shares)
        cells = [(r, w) for r in range(count) for w in range(count) if r or w]
        return sorted(cells, key=lambda cell: (self.shares[cell[0]] + self.shares[cell[1]], cell))
