"""Prints a comparison in the chosen style and format."""

import sys
from collections.abc import Iterable

import click

from harness.bench.compare.options import BenchCompareOptions
from harness.bench.compare.result import BenchCompareResult
from harness.cli.terminal import colours
from stallscope.benchmark_text.grid import Grid
from stallscope.benchmark_text.results import BenchmarkResults
from stallscope.printable import printable


def print_document(
    result: BenchCompareResult, text: Iterable[str], options: BenchCompareOptions, *, as_json: bool
) -> None:
    """Print the comparison as JSON, CSV or the lines of its text, and write its page."""
    _print_errors(result.problems)
    if options.page is not None:
        from harness.bench.compare.panel import write_page  # noqa: PLC0415

        write_page(result, options.page)
    if as_json:
        from harness.cli.brief import document_text  # noqa: PLC0415

        click.echo(document_text(result))
    elif options.file_format == "csv":
        from harness.bench.compare.csv import csv_lines  # noqa: PLC0415

        _print_lines(csv_lines(result))
    else:
        _print_lines(text)


def print_benchstat(results: BenchmarkResults, grid: Grid, options: BenchCompareOptions) -> None:
    """Print the comparison as benchstat does."""
    from harness.bench.compare.benchstat.csv import csv_text  # noqa: PLC0415
    from harness.bench.compare.benchstat.summaries import Thresholds  # noqa: PLC0415
    from harness.bench.compare.benchstat.text import text_lines  # noqa: PLC0415

    limits = Thresholds(options.confidence, options.alpha)
    _print_errors(map(str, results.problems))
    if options.file_format == "csv":
        output = csv_text(grid, results.metadata, limits)
        _print_lines(output.lines)
        _print_errors(output.warnings)
    else:
        _print_lines(text_lines(grid, results.metadata, limits))


def _print_errors(problems: Iterable[str]) -> None:
    for problem in problems:
        click.echo(printable(problem), err=True)


def _print_lines(lines: Iterable[str]) -> None:
    """Print lines as UTF-8, which the bytes of names already are."""
    colours()
    sys.stdout.flush()
    block: list[str] = []
    for line in lines:
        block.append(line)
        if len(block) == 10_000:
            _write(block)
            block = []
    _write(block)
    sys.stdout.buffer.flush()


def _write(lines: list[str]) -> None:
    if lines:
        text = "\n".join(lines) + "\n"
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
