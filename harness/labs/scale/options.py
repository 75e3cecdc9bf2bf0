"""Options of `stallscope lab scale`."""

from dataclasses import dataclass
from enum import StrEnum

from harness.page.pictures import SUFFIXES as PICTURES
from harness.workload.options import RUN_OVERHEAD_S

SUFFIXES = (".csv", ".json", *PICTURES)


class ScaleAxis(StrEnum):
    """The quantity that is scaled; the other one is fixed."""

    CONNECTIONS = "connections"
    THREADS = "threads"


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """A degree of parallelism: ``n`` connections or server threads."""

    axis: ScaleAxis
    n: int


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """Options of the scale lab."""

    path: str
    connections: tuple[int, ...]  # with one server thread
    threads: tuple[int, ...]  # with the largest number of connections
    rounds: int = 3
    duration_s: float = 1.0
    warmup_s: float = 0.3
    pipeline: int = 1
    stages: bool = True

    @property
    def points(self) -> tuple[LoadPoint, ...]:
        """Return the points, axis by axis."""
        return (
            *(LoadPoint(ScaleAxis.CONNECTIONS, n) for n in self.connections),
            *(LoadPoint(ScaleAxis.THREADS, n) for n in self.threads),
        )

    @property
    def run_s(self) -> float:
        """Return the approximate time of one run."""
        return self.duration_s + self.warmup_s + RUN_OVERHEAD_S

    def connections_of(self, point: LoadPoint) -> int:
        """Return the number of connections of a point; at least 16 per server thread."""
        if point.axis is ScaleAxis.CONNECTIONS:
            return point.n
        return max((*self.connections, 16 * point.n))

    def threads_of(self, point: LoadPoint) -> int:
        """Return the number of server threads of a point."""
        return point.n if point.axis is ScaleAxis.THREADS else 1


def doubling(largest: int) -> tuple[int, ...]:
    """Return 1, 2, 4 and so on up to ``largest``, which is included."""
    powers = [1 << power for power in range(largest.bit_length())]
    return tuple(sorted({*powers, largest}))
