"""A run of `bench scale`: measurement or file, models, output, files."""

import re
import shlex
from pathlib import Path

from harness.bench.scale.benchmark_lines import lines_of_file, readings_of_names
from harness.bench.scale.beside import read_beside
from harness.bench.scale.build import Workload, scale_result
from harness.bench.scale.fits import Fits, fit_laws
from harness.bench.scale.measurement import measure, usable_cpus
from harness.bench.scale.options import BenchScaleOptions
from harness.bench.scale.readings import CountMeasurement, by_count
from harness.bench.scale.result import BenchScaleResult
from harness.bench.scale.table_file import read_table
from harness.bench.scale.text import csv_lines, lines
from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from harness.cli.terminal import note
from stallscope.documents import encode, read_bounded
from stallscope.errors import ExitCode

MAX_BYTES = 64 * 2**20
_BENCHMARK = re.compile(r"^Benchmark\S+\s+\d+\s", re.MULTILINE)
_MAX_PROBLEMS = 20


def run_scale(options: BenchScaleOptions, *, as_json: bool) -> int:
    """Return the exit code after measuring or reading, printing and writing the files."""
    beside = read_beside(options.recordings)
    readings, workload = _readings(options)
    points = by_count(readings)
    fits = fit_laws(points, options.fit.fixed_rate)
    described = Workload(workload.title, workload.unit, workload.cpus, beside, workload.notes)
    result = scale_result(points, fits, options.fit, described)
    print_result(result, lines, as_json=as_json)
    for path in options.outputs:
        write_whole(path, [_content(result, fits, path.suffix.lower())])
        note(f"wrote {path}")
    return int(ExitCode.DONE)


def _readings(options: BenchScaleOptions) -> tuple[list[CountMeasurement], Workload]:
    if options.run is not None:
        readings, unit, notes = measure(options.run, options.unit)
        title = shlex.join(options.run.command)
        return readings, Workload(title, unit, usable_cpus(), notes=tuple(notes))
    assert options.source is not None
    return read_source(options.source, options)


def read_source(path: Path, options: BenchScaleOptions) -> tuple[list[CountMeasurement], Workload]:
    """Return the readings of a file: benchmark lines, or otherwise a table.

    Raises RecordingError.
    """
    text = read_bounded(path, MAX_BYTES).decode("utf-8", "replace")
    if _BENCHMARK.search(text) is None:
        table = read_table(text, path, axis=options.fit.axis)
        return table, Workload(path.name, options.unit or "X")
    benchmarks, problems = lines_of_file(path)
    readings, name, unit = readings_of_names(
        benchmarks, str(path), name=options.name, unit=options.unit
    )
    notes = tuple(f"Not read: {problem}." for problem in problems[:_MAX_PROBLEMS])
    return readings, Workload(name, unit, notes=notes)


def _content(result: BenchScaleResult, fits: Fits, suffix: str) -> str | bytes:
    if suffix == ".csv":
        return "".join(f"{line}\n" for line in csv_lines(result))
    if suffix == ".json":
        return encode(result) + "\n"
    if suffix == ".html":
        from harness.bench.scale.panel import scale_page  # noqa: PLC0415 - loads matplotlib

        return scale_page(result, fits)
    from harness.bench.scale.picture import scale_picture  # noqa: PLC0415

    return scale_picture(result, fits, suffix.lstrip("."))
