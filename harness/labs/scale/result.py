"""What the scale lab found: throughput by N, as a table, a document and rows for a fit."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from cstates.fingerprint import Fingerprint
from harness.cli.terminal import wrapped
from harness.labs.scale.plan import Axis, Point, ScaleOptions
from harness.workload.cores import Cores

SCHEMA = "stallscope.lab.scale/1"
CSV_HEAD = "axis,N,X,X_low,X_high,runs,loader_limited,shared_cpu"


@dataclass(frozen=True, slots=True)
class ScaleRun:
    """One run: replies a second, and why the loader was the limit, empty where it was not."""

    point: Point
    throughput: float
    limited_by: str


@dataclass(frozen=True, slots=True)
class ScaleResults:
    """All runs; ``shared`` are the points whose server threads share a CPU with the loader."""

    options: ScaleOptions
    cores: Cores
    runs: tuple[ScaleRun, ...]
    shared: frozenset[Point]
    interrupted: bool
    settings: Fingerprint | None = None  # of the machine; None: not looked at


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """A point with the median of its runs and their ends."""

    point: Point
    median: float
    low: float
    high: float
    runs: int
    limited: int  # runs in which the loader was the limit
    shared: bool


def rows(results: ScaleResults) -> list[ScaleRow]:
    """Return the points that have runs, in their order."""
    found = []
    for point in results.options.points:
        own = [run for run in results.runs if run.point == point]
        if own:
            rates = [run.throughput for run in own]
            limited = sum(bool(run.limited_by) for run in own)
            found.append(
                ScaleRow(
                    point,
                    statistics.median(rates),
                    min(rates),
                    max(rates),
                    len(rates),
                    limited,
                    point in results.shared,
                )
            )
    return found


def csv_lines(results: ScaleResults) -> Iterator[str]:
    """Return the lines of a CSV file: N and X as a fit of scalability takes them."""
    yield CSV_HEAD
    for row in rows(results):
        yield (
            f"{row.point.axis},{row.point.n},{row.median:.6g},{row.low:.6g},{row.high:.6g},"
            f"{row.runs},{row.limited},{int(row.shared)}"
        )


def scale_document(results: ScaleResults) -> dict[str, object]:
    """Return the document of schema ``stallscope.lab.scale/1``."""
    options, cores = results.options, results.cores
    return {
        "schema": SCHEMA,
        "path": options.path,
        "stages": options.stages,
        "pipeline": options.pipeline,
        "duration_s": options.duration_s,
        "machine": {
            "cpu_model": cores.cpu_model,
            "server_cpu": cores.server,
            "loader_cpu": cores.loader,
        },
        "settings": results.settings and results.settings.document(),
        "points": [
            {
                "axis": str(row.point.axis),
                "N": row.point.n,
                "X": row.median,
                "X_low": row.low,
                "X_high": row.high,
                "runs": [run.throughput for run in results.runs if run.point == row.point],
                "connections": options.connections_of(row.point),
                "threads": options.threads_of(row.point),
                "loader_limited": row.limited,
                "shared_cpu": row.shared,
            }
            for row in rows(results)
        ],
        "notes": notes(results),
        "interrupted": results.interrupted,
    }


def notes(results: ScaleResults) -> list[str]:
    """Return what a reader of the numbers must know."""
    found = rows(results)
    said = []
    if results.interrupted:
        said.append("Interrupted: points without a run are left out.")
    if results.settings is not None and results.settings.warnings:
        said.append(f"Less repeatable: {', '.join(results.settings.warnings)}.")
    if any(row.shared for row in found):
        said.append(
            "Points marked with * have a server thread on the loader's CPU: they take from each "
            "other, and say nothing of the server's scaling."
        )
    limited = sum(row.limited for row in found)
    if limited:
        why = next(run.limited_by for run in results.runs if run.limited_by)
        said.append(f"The loader was the limit in {limited} of {len(results.runs)} runs: {why}")
    for axis in Axis:
        usable = [row for row in found if row.point.axis is axis and not row.shared]
        if 0 < len(usable) < 6:
            said.append(
                f"By {axis} there are {len(usable)} points: a fit of three parameters wants six."
            )
    return said


def lines(results: ScaleResults, room: int) -> Iterator[str]:
    """Return the table for a terminal or a pipe of that many columns."""
    options, cores = results.options, results.cores
    yield (
        f"path {options.path}, stages {'on' if options.stages else 'off'}, pipeline "
        f"{options.pipeline}; {cores.cpu_model}, loader on CPU {cores.loader}"
    )
    found = rows(results)
    for axis in Axis:
        own = [row for row in found if row.point.axis is axis]
        if not own:
            continue
        yield ""
        yield f"{axis:>12}  {'requests/s':>12}  {'speed-up':>8}  low to high"
        for row in own:
            mark = "*" if row.shared else " "
            yield (
                f"{row.point.n:>11}{mark}  {row.median:>12,.0f}  {row.median / own[0].median:>8.2f}"
                f"  {row.low:,.0f} to {row.high:,.0f} n={row.runs}"
            )
    yield ""
    for note in notes(results):
        yield from wrapped(note, room, "  ")
