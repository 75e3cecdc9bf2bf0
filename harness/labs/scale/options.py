"""Options of `stallscope lab scale`."""

from dataclasses import dataclass
from enum import StrEnum

from harness.page.pictures import SUFFIXES as PICTURES
from harness.workload.options import RUN_OVERHEAD_S
from stallscope.errors import UsageError

MAX_THREADS = 1024
SUFFIXES = (".csv", ".json", *PICTURES)


class ScaleAxis(StrEnum):
    """The quantity that is scaled; the other one is fixed."""

    CONNECTIONS = "connections"
    THREADS = "threads"


class ScaleWorkload(StrEnum):
    """The requests: GET of one key, or a scan of consecutive keys."""

    GET = "get"
    SCAN = "scan"


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """A degree of parallelism: ``n`` connections or server threads."""

    axis: ScaleAxis
    n: int


@dataclass(frozen=True, slots=True)
class LabScaleOptions:
    """Options of the scale lab."""

    path: str
    connections: tuple[int, ...]  # with one server thread
    threads: tuple[int, ...]  # with the largest number of connections
    rounds: int = 3
    duration_s: float = 1.0
    warmup_s: float = 0.3
    pipeline: int = 1
    stages: bool = True
    workload: ScaleWorkload = ScaleWorkload.GET
    events: tuple[str, ...] | None = None  # to count; None: no run is counted

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

    @property
    def total_runs(self) -> int:
        """Return the number of runs, with one counted run per point."""
        return len(self.points) * (self.rounds + (self.events is not None))

    def connections_of(self, point: LoadPoint) -> int:
        """Return the number of connections of a point; at least 16 per server thread."""
        if point.axis is ScaleAxis.CONNECTIONS:
            return point.n
        return max((*self.connections, 16 * point.n))

    def threads_of(self, point: LoadPoint) -> int:
        """Return the number of server threads of a point."""
        return point.n if point.axis is ScaleAxis.THREADS else 1


def thread_counts(text: str | None, cpus: int) -> tuple[int, ...]:
    """Return the numbers of threads: a list, or powers of two up to one number, or up to ``cpus``.

    Raises UsageError for anything else.
    """
    if not text:
        return doubling(cpus)
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(1 <= number <= MAX_THREADS for number in numbers):
        raise UsageError(
            f"--threads {text[:80]}: expected a number or a list of numbers up to {MAX_THREADS}",
            "for example --threads 8, or --threads 1,8,16,32,64",
        )
    return doubling(numbers[0]) if len(numbers) == 1 else tuple(sorted(set(numbers)))


def doubling(largest: int) -> tuple[int, ...]:
    """Return 1, 2, 4 and so on up to ``largest``, which is included."""
    powers = [1 << power for power in range(largest.bit_length())]
    return tuple(sorted({*powers, largest}))
