"""Results of a bench.toml by cluster and data set, as time per operation.

cluster:loopback dataset:prod1-1024
kv-zhash.py   41.2us ± 3%
kv-zwrk·8     61.0us ± 2%
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.bench.matrix.summary import summary_text, without_outliers
from harness.bench.plan.commands import MatrixPlace
from harness.bench.run.result import BenchRunResult, CommandRuns

_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The times of one server, client and number of connections, or of a local benchmark.

    ``per_operation``: whether the command printed the times; otherwise they are those of
    whole runs.
    """

    place: MatrixPlace
    times_ns: tuple[float, ...]
    per_operation: bool = True

    @property
    def name(self) -> str:
        """Return the label with the number of connections."""
        return self.place.row

    @property
    def mean_ns(self) -> float | None:
        """Return the mean without outliers; None if nothing was measured."""
        kept = without_outliers(self.times_ns)
        return kept.mean if kept.values else None

    @property
    def summary(self) -> str:
        """Return mean and largest deviation."""
        kept = without_outliers([time / _NS_PER_S for time in self.times_ns])
        return summary_text(kept, "sec/op") if kept.values else "n/a"

    @property
    def rate_per_s(self) -> float | None:
        """Return the operations per second of all connections together.

        A printed time per operation is that of one connection. None if the command printed none.
        """
        mean = self.mean_ns
        return (
            None
            if not mean or not self.per_operation
            else (self.place.parallel or 1) / mean * _NS_PER_S
        )


@dataclass(frozen=True, slots=True)
class MatrixSection:
    """A heading and its rows, in the order of the file."""

    heading: str
    rows: tuple[MatrixRow, ...]

    def lines(self) -> dict[str, list[tuple[int, float]]]:
        """Return connections and operations per second of each parallel client, by label."""
        series: dict[str, list[tuple[int, float]]] = {}
        for row in self.rows:
            rate = row.rate_per_s
            if row.place.parallel is not None and rate is not None:
                series.setdefault(row.place.label, []).append((row.place.parallel, rate))
        return {label: sorted(points) for label, points in series.items()}


def sections(result: BenchRunResult, host: str) -> tuple[MatrixSection, ...]:
    """Return a section per cluster and data set, and one of the local benchmarks of the host.

    There are none without a data set: a list of commands is no matrix.
    """
    placed = [command for command in result.commands if command.place is not None]
    if not any(command.place and command.place.dataset for command in placed):
        return ()
    grouped: dict[str, list[MatrixRow]] = {}
    for command, row in _rows(result, placed):
        place = command.place
        heading = f"node:{host}"
        if command.server and place is not None:
            cluster = f"cluster:{place.cluster or host}"
            heading = f"{cluster} dataset:{place.dataset}" if place.dataset else cluster
        grouped.setdefault(heading, []).append(row)
    headings = sorted(grouped, key=lambda heading: heading.startswith("node:"))  # stable
    return tuple(MatrixSection(heading, tuple(grouped[heading])) for heading in headings)


def _rows(
    result: BenchRunResult, commands: Sequence[CommandRuns]
) -> Iterator[tuple[CommandRuns, MatrixRow]]:
    """Yield the row of each command; without printed times, a run is one operation."""
    numbers = {command.name: number for number, command in enumerate(result.commands)}
    for command in commands:
        place = command.place
        if place is None:
            continue
        runs_ns = tuple(
            float(run.wall_ns)
            for run in result.runs
            if run.command == numbers[command.name] and not run.failed
        )
        yield (
            command,
            MatrixRow(
                place,
                command.operation_ns or runs_ns,
                per_operation=bool(command.operation_ns),
            ),
        )
