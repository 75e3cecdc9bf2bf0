"""Adds a run to a history, finds its change points and prints them."""

import math
import time
from collections.abc import Callable, Mapping, Sequence

import click

from harness.bench.history.options import HistoryOptions
from harness.bench.history.result import (
    BenchmarkSeries,
    HistoryResult,
    HistoryRun,
    SeriesChange,
    StoredValue,
)
from harness.bench.history.store import append_run, read_runs
from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from stallscope.documents import LARGEST
from stallscope.errors import ExitCode, RecordingError
from stallscope.host import Host, read_host
from stallscope.statistics.change_points import change_points


def run_history(options: HistoryOptions, *, as_json: bool) -> int:
    """Print the history and return the exit code."""
    from harness.bench.history.junit import junit_text  # noqa: PLC0415
    from harness.bench.history.text import github_lines, lines  # noqa: PLC0415

    added = None
    new_problems: tuple[str, ...] = ()
    if options.added is not None:
        run, new_problems = stored_run(options.added, options.label, read_host(), time.time)
        append_run(options.directory, run)
        added = run.label
    runs, problems = read_runs(options.directory)
    result = analyse(str(options.directory), runs, (*new_problems, *problems), added)
    if options.junit is not None:
        write_whole(options.junit, [junit_text(result)])
    if options.github and not as_json:
        for line in github_lines(result):
            click.echo(line)
    else:
        print_result(result, lines, as_json=as_json)
    if options.fail_if_worse and any(series.is_worse for series in result.series):
        return ExitCode.FINDING
    return ExitCode.UNREADABLE if result.problems else ExitCode.DONE


def stored_run(
    file: str, label: str, host: Host, clock: Callable[[], float]
) -> tuple[HistoryRun, tuple[str, ...]]:
    """Return the run of a file of benchmark results, and the lines that were not read."""
    from stallscope.benchmark_text.grid import ABSENT, GridOptions, build_grid  # noqa: PLC0415
    from stallscope.benchmark_text.results import read_benchmarks  # noqa: PLC0415
    from stallscope.benchmark_text.units import better_direction  # noqa: PLC0415

    results = read_benchmarks([file])
    problems = tuple(map(str, results.problems))
    if not results.series_count:
        reason = f": {problems[0]}" if problems else ""
        raise RecordingError(
            f"no benchmark line in {file}{reason}",
            "a benchmark line is: BenchmarkName 100 12 ns/op",
        )
    grid = build_grid(results, GridOptions(table="", col="", ignore=".config"))
    values = []
    for table in grid.tables:
        better = better_direction(table.unit, results.metadata)
        for row, cell in zip(table.rows.tolist(), table.cells[:, 0].tolist(), strict=True):
            sample = [] if cell == ABSENT else grid.samples.values(cell).tolist()
            median, count = _median(sample)
            if median is not None:
                name = grid.row_keys.label(row)
                values.append(
                    StoredValue(name=name, unit=table.unit, median=median, n=count, better=better)
                )
    run = HistoryRun(
        label=label or time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(clock())),
        time_s=clock(),
        host=f"{host.cpu_model}, {host.cpus_online} CPUs, {host.architecture}",
        hostname=host.hostname,
        kernel=host.kernel_release,
        values=tuple(values),
    )
    return run, problems


def _median(sample: Sequence[float]) -> tuple[float | None, int]:
    finite = sorted(value for value in sample if abs(value) <= LARGEST)
    if not finite:
        return None, 0
    middle = len(finite) // 2
    if len(finite) % 2:
        return finite[middle], len(finite)
    return (finite[middle - 1] + finite[middle]) / 2, len(finite)


def analyse(
    directory: str, runs: Sequence[HistoryRun], problems: Sequence[str], added: str | None = None
) -> HistoryResult:
    """Return the change points of all series of runs, which are in the order of their storage."""
    points: dict[tuple[str, str, str], list[tuple[HistoryRun, StoredValue]]] = {}
    for run in runs:
        for value in run.values:
            points.setdefault((value.name, value.unit, run.host), []).append((run, value))
    hosts = {run.host for run in runs}
    warnings = []
    if len(hosts) > 1:
        warnings.append(f"the runs come from {len(hosts)} kinds of hosts; each has its series")
    return HistoryResult(
        directory=directory,
        runs=len(runs),
        added=added,
        series=tuple(_series(key, points[key]) for key in sorted(points)),
        problems=tuple(problems),
        warnings=tuple(warnings),
    )


def _series(
    key: tuple[str, str, str], points: Sequence[tuple[HistoryRun, StoredValue]]
) -> BenchmarkSeries:
    name, unit, host = key
    better = points[-1][1].better
    changes = []
    for change in change_points([value.median for _, value in points]):
        run = points[change.index][0]
        delta = (change.after - change.before) / abs(change.before) if change.before else math.nan
        changes.append(
            SeriesChange(
                index=change.index,
                label=run.label,
                time_s=run.time_s,
                before=change.before,
                after=change.after,
                delta=delta if math.isfinite(delta) else None,
                p=min(1.0, change.p),
                direction=_direction(change.after - change.before, better),
            )
        )
    return BenchmarkSeries(
        name=name,
        unit=unit,
        host=host,
        runs=len(points),
        latest=points[-1][1].median,
        changes=tuple(changes),
        is_worse=bool(changes) and changes[-1].direction == "worse",
    )


_WORDS: Mapping[tuple[int, bool], str] = {
    (1, True): "better",
    (1, False): "worse",
    (-1, True): "worse",
    (-1, False): "better",
    (0, True): "higher",
    (0, False): "lower",
}


def _direction(difference: float, better: int) -> str:
    return _WORDS[max(-1, min(1, better)), difference > 0]
