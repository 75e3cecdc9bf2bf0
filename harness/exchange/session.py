"""A run of `stallscope import`: reads a file of another tool, and converts or summarizes it."""

import math
import shlex
from pathlib import Path

import click

from harness.cli.brief import document_text
from harness.cli.outputs import check_place, write_whole
from harness.cli.terminal import colours, width
from harness.exchange.options import ImportOptions
from harness.exchange.result import (
    ImportedBenchmark,
    ImportedCount,
    ImportedFunction,
    ImportedLatency,
    ImportedStacks,
    ImportResult,
)
from harness.exchange.text import lines
from harness.exchange.writers import (
    OutputFormat,
    converted_tables,
    encoded_parts,
    output_format,
)
from stallscope.errors import RecordingError, UsageError
from stallscope.printable import printable
from topdown.stacks.formats.detection import FileFormat
from topdown.stacks.formats.perf_script import FoldedNames
from topdown.stacks.formats.reading import STACK_FORMATS, detect_file

_TABLE_FORMATS = {FileFormat.PPROF.value, FileFormat.OTLP.value}
_FORMATS_WITH_EVENTS = (FileFormat.PERF_SCRIPT, FileFormat.PPROF, FileFormat.OTLP)
_REMEDY = (
    "expected text of perf script, folded stacks, pprof, OTLP, speedscope, Firefox Profiler, "
    "perf stat, benchmark results, an HdrHistogram log, or JSON of fio; name one with --format"
)


def run_import(options: ImportOptions) -> None:
    """Write the file in another format, or print what it contains."""
    file_format = _format_of(options.path, options.file_format)
    if options.event and file_format not in _FORMATS_WITH_EVENTS:
        raise UsageError(
            f"--event: a file of {file_format} has no events to select", "leave the option out"
        )
    if options.folded is not None:
        _write_folded(options, file_format)
    elif options.output is not None:
        remedy = "write folded stacks with --folded OUT"
        written = output_format(options.output, options.output_format, remedy)
        _convert(options, file_format, options.output, written)
    else:
        _show(_result(options, file_format), as_json=options.as_json)


def _format_of(path: Path, stated: FileFormat | None) -> FileFormat:
    """Return the format of a file: the stated one, or that of its content.

    Raises UsageError or RecordingError if it is not a readable file with content.
    """
    try:
        if not path.exists():
            raise UsageError(
                f"there is no file {path}",
                "name a file of another tool; save the output of a pipe first",
            )
        if not path.is_file():
            kind = "a directory" if path.is_dir() else "not a regular file"
            raise UsageError(f"{path} is {kind}", "name a file; save the output of a pipe first")
        if not path.stat().st_size:
            raise RecordingError(f"{path} is empty", _REMEDY)
        detected = detect_file(path)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "name a file that this user may read"
        ) from error
    file_format = stated or detected
    if file_format is None:
        raise RecordingError(f"{path} has no known format", _REMEDY)
    return file_format


def _check_stacks(options: ImportOptions, file_format: FileFormat) -> None:
    if file_format not in STACK_FORMATS:
        raise UsageError(
            f"{options.path} is a file of {file_format}, which has no stacks",
            f"show it: stallscope import {shlex.quote(str(options.path))}",
        )


def _write_folded(options: ImportOptions, file_format: FileFormat) -> None:
    _check_stacks(options, file_format)
    assert options.folded is not None
    check_place(options.folded)
    if file_format != FileFormat.PERF_SCRIPT:
        if options.names != FoldedNames(event=options.names.event):
            raise UsageError(
                "--pid, --tid, --kernel, --jit, --all, --addrs and --inline apply to perf script "
                f"only, not to {file_format}",
                "leave them out",
            )
        _convert(options, file_format, options.folded, OutputFormat.FOLDED)
        return
    from topdown.stacks.formats.content import plain_file  # noqa: PLC0415
    from topdown.stacks.formats.perf_script import fold_perf_script  # noqa: PLC0415

    with plain_file(options.path) as plain:
        folded, warning = fold_perf_script(plain, str(options.path), options.names)
    write_whole(options.folded, [folded])
    if warning:
        click.echo(f"warning: {printable(warning)}", err=True)


def _convert(
    options: ImportOptions, file_format: FileFormat, output: Path, written: OutputFormat
) -> None:
    _check_stacks(options, file_format)
    from harness.profile.analysis import Analysis  # noqa: PLC0415 - start-up stays light
    from stallscope.recordings import open_recording  # noqa: PLC0415
    from topdown.stacks.formats.reading import read_profile  # noqa: PLC0415
    from topdown.stacks.ranking import rank  # noqa: PLC0415

    check_place(output)
    if not options.event and {file_format.value, written.value} == _TABLE_FORMATS:
        write_whole(output, [converted_tables(options.path, file_format)])
        return
    profile = read_profile(options.path, file_format, options.event)
    if written == OutputFormat.FOLDED:
        from topdown.stacks.flame.folded import render_folded  # noqa: PLC0415

        write_whole(output, [render_folded(profile, by_value=True)])
        return
    analysis = Analysis(profile, rank(profile))
    write_whole(output, encoded_parts(open_recording(options.path), analysis, profile, written))


def _result(options: ImportOptions, file_format: FileFormat) -> ImportResult:
    if file_format in STACK_FORMATS:
        return _stacks_result(options, file_format)
    if file_format == FileFormat.PERF_STAT:
        return _counts_result(options.path)
    if file_format == FileFormat.BENCHMARK:
        return _benchmark_result(options.path)
    if file_format == FileFormat.HISTOGRAM_LOG:
        return _histogram_result(options.path)
    return _fio_result(options.path)


def _stacks_result(options: ImportOptions, file_format: FileFormat) -> ImportResult:
    from topdown.stacks.formats.reading import read_profile  # noqa: PLC0415
    from topdown.stacks.ranking import rank  # noqa: PLC0415

    path, name = options.path, shlex.quote(str(options.path))
    profile = read_profile(path, file_format, options.event)
    total = int(profile.weight_value.sum())
    ranking = rank(profile)
    functions = [
        (profile.functions[row.index], row.self_value, row.total_value)
        for row in ranking.functions[: options.top]
    ]
    return ImportResult(
        file=str(path),
        format=file_format,
        stacks=ImportedStacks(
            event=printable(profile.source.event),
            unit=printable(profile.source.unit),
            samples=profile.samples,
            value=total,
            threads=len(profile.threads),
            has_times=profile.times is not None,
            duration_s=profile.duration_s if math.isfinite(profile.duration_s) else None,
            functions=tuple(
                ImportedFunction(
                    name=printable(function.name),
                    module=printable(function.module),
                    self_share=own / total if total else 0.0,
                    total_share=min(1.0, with_callees / total) if total else 0.0,
                )
                for function, own, with_callees in functions
            ),
        ),
        commands=(
            f"stallscope report {name}",
            f"stallscope flame {name} -o FILE.svg",
        ),
        warnings=tuple(printable(warning.message) for warning in profile.warnings),
    )


def _counts_result(path: Path) -> ImportResult:
    from topdown.slots.replay.count_file import read_count_file  # noqa: PLC0415

    rows = []
    for reading in read_count_file(path):
        for event in (*reading.counts, *reading.absent):
            rows.append(
                ImportedCount(
                    where=printable(reading.where),
                    event=printable(event),
                    count=reading.counts.get(event),
                    running_share=reading.running.get(event),
                    reason=reading.absent.get(event),
                )
            )
    return ImportResult(
        file=str(path),
        format=FileFormat.PERF_STAT,
        counts=tuple(rows),
        commands=(f"stallscope topdown --counts {shlex.quote(str(path))} --cpu MODEL",),
    )


def _benchmark_result(path: Path) -> ImportResult:
    import numpy as np  # noqa: PLC0415 - start-up stays light

    from stallscope.benchmark_text.results import read_benchmarks  # noqa: PLC0415

    results = read_benchmarks([str(path)])
    if not results.series_count:
        raise RecordingError(
            f"{path} has no benchmark line", "a benchmark line is: BenchmarkName 100 12.3 ns/op"
        )
    rows = []
    for series in range(results.series_count):
        values = results.values(series)
        median = float(np.median(values))
        rows.append(
            ImportedBenchmark(
                name=printable(results.names[results.columns["name"][series]]),
                unit=printable(results.units[results.columns["unit"][series]]),
                n=len(values),
                median=median if math.isfinite(median) else None,
            )
        )
    return ImportResult(
        file=str(path),
        format=FileFormat.BENCHMARK,
        benchmarks=tuple(rows),
        commands=(f"stallscope bench compare {shlex.quote(str(path))} OTHER",),
        warnings=tuple(printable(str(problem)) for problem in results.problems[:20]),
    )


def _histogram_result(path: Path) -> ImportResult:
    from stallscope.histograms import read_interval_log  # noqa: PLC0415

    log = read_interval_log(path)
    merged = log.merged()
    if merged is None or not merged.total:
        raise RecordingError(f"{path} has no interval with a value", "record it again")
    seconds = sum(interval.length_s for interval in log.intervals)
    latency = ImportedLatency(
        name=printable(path.name),
        requests=merged.total,
        rate_per_s=merged.total / seconds if seconds > 0 else None,
        mean_ns=merged.mean(),
        p50_ns=merged.percentile(50),
        p90_ns=merged.percentile(90),
        p99_ns=merged.percentile(99),
        p999_ns=merged.percentile(99.9),
        max_ns=merged.largest(),
    )
    return ImportResult(
        file=str(path),
        format=FileFormat.HISTOGRAM_LOG,
        latencies=(latency,),
        commands=(),
        warnings=(
            *map(printable, log.warnings),
            "the unit of the values is taken as nanoseconds: such a log does not state it",
        ),
    )


def _fio_result(path: Path) -> ImportResult:
    from ioprobe.fio_results import read_fio_results  # noqa: PLC0415

    rows = tuple(
        ImportedLatency(
            name=printable(f"{row.job} {row.direction}"),
            requests=row.requests,
            rate_per_s=row.rate_per_s,
            mean_ns=row.mean_ns,
            p50_ns=row.percentiles_ns.get(50.0),
            p90_ns=row.percentiles_ns.get(90.0),
            p99_ns=row.percentiles_ns.get(99.0),
            p999_ns=row.percentiles_ns.get(99.9),
            max_ns=row.max_ns,
        )
        for row in read_fio_results(path)
    )
    if not rows:
        raise RecordingError(f"{path} has no job with requests", "let fio run until its end")
    return ImportResult(
        file=str(path),
        format=FileFormat.FIO,
        latencies=rows,
        commands=("stallscope io curve TARGET measures the same with queue depths",),
    )


def _show(result: ImportResult, *, as_json: bool) -> None:
    if as_json:
        click.echo(document_text(result))
        return
    for line in lines(result, width()):
        click.echo(line, color=colours())
