"""A synthetic fleet: a data set of hosts x hours with stacks as skewed as those of services.

Each recording has 99 samples/s of two CPUs for 10 s of an hour. Hosts of one service share their
stacks; a tenth of the stacks belongs to the host alone.
"""

from pathlib import Path

import numpy as np

from harness.fleet.dataset.parts import Part, hour_of, write_part

SAMPLES = 1980
SHARED_STACKS, OWN_STACKS, FUNCTIONS, DEPTH = 20_000, 200, 5_000, 30
HOUR_NS = 3_600_000_000_000
_SEED = 20


class SyntheticFleet:
    """Writes hosts with a fixed seed: the same bytes on every run."""

    def __init__(self, root: Path) -> None:
        """Make the stacks that all hosts share."""
        self.root = root
        generator = np.random.default_rng(_SEED)
        self.shared = self._stacks(generator, SHARED_STACKS, 0)

    def _stacks(self, generator: np.random.Generator, count: int, base: int) -> list[list[str]]:
        rows = base + (FUNCTIONS * generator.power(0.5, (count, DEPTH))).astype(int)
        lengths = generator.integers(8, DEPTH + 1, count)
        return [
            [f"service::module_{name % 97}::function_{name}" for name in row[:length]]
            for row, length in zip(rows.tolist(), lengths.tolist(), strict=True)
        ]

    def write_host(self, number: int, hours: int) -> None:
        """Write the parts of a host."""
        generator = np.random.default_rng((_SEED, number))
        own = self._stacks(generator, OWN_STACKS, 1_000_000 + number * FUNCTIONS)
        for hour in range(hours):
            begin_ns = hour * HOUR_NS
            part = Part(str(self.root), f"host-{number:05d}", hour_of(begin_ns), f"{hour:04d}")
            picks = (generator.zipf(1.3, SAMPLES) - 1) % SHARED_STACKS
            is_own = generator.random(SAMPLES) < 0.1
            picks = np.where(is_own, SHARED_STACKS + picks % OWN_STACKS, picks)
            picked, counts = np.unique(picks, return_counts=True)
            keys = np.where(picked < SHARED_STACKS, picked, picked + number * OWN_STACKS)
            stacks = [
                self.shared[pick] if pick < SHARED_STACKS else own[pick - SHARED_STACKS]
                for pick in picked.tolist()
            ]
            rows = len(picked)
            write_part(
                part,
                {
                    "samples": {
                        "begin_ns": [begin_ns] * rows,
                        "end_ns": [begin_ns + 10_000_000_000] * rows,
                        "event": ["cpu-clock"] * rows,
                        "unit": ["ns"] * rows,
                        "process": ["service"] * rows,
                        "stack": keys.tolist(),
                        "samples": counts.tolist(),
                        "value": (counts * 10_101_010).tolist(),
                    },
                    "stacks": {
                        "stack": keys.tolist(),
                        "functions": stacks,
                        "modules": [["/usr/bin/service"] * len(stack) for stack in stacks],
                    },
                },
            )
