"""The points of the scale lab: how many connections or server threads, in interleaved rounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.labs.stages.plan import RUN_EXTRA_S


class Axis(StrEnum):
    """What is scaled while the other one stands."""

    CONNECTIONS = "connections"
    THREADS = "threads"


@dataclass(frozen=True, slots=True)
class Point:
    """One degree of parallelism: N of the axis."""

    axis: Axis
    n: int


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """What the lab is asked for."""

    path: str
    connections: tuple[int, ...]  # at one server thread
    threads: tuple[int, ...]  # at the most connections
    rounds: int = 3
    duration_s: float = 1.0
    warmup_s: float = 0.3
    pipeline: int = 1
    stages: bool = True

    @property
    def points(self) -> tuple[Point, ...]:
        """Return the points, axis by axis."""
        return (
            *(Point(Axis.CONNECTIONS, n) for n in self.connections),
            *(Point(Axis.THREADS, n) for n in self.threads),
        )

    @property
    def run_s(self) -> float:
        """Return what one run takes, about."""
        return self.duration_s + self.warmup_s + RUN_EXTRA_S

    def connections_of(self, point: Point) -> int:
        """Return how many connections a point has: each thread has enough to do."""
        if point.axis is Axis.CONNECTIONS:
            return point.n
        return max((*self.connections, 16 * point.n))

    def threads_of(self, point: Point) -> int:
        """Return how many server threads a point has."""
        return point.n if point.axis is Axis.THREADS else 1


def doubling(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4 and so on up to ``most``, which is the last."""
    powers = [1 << power for power in range(most.bit_length())]
    return tuple(sorted({*powers, most}))


def runs(options: ScaleOptions) -> Iterator[tuple[int, Point]]:
    """Return round and point of each run: every round has all points, to and fro in turn."""
    for number in range(options.rounds):
        points = options.points if number % 2 == 0 else options.points[::-1]
        for point in points:
            yield number, point
