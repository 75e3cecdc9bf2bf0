"""A run of `stallscope topdown`: measures, prints and writes files."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from harness.cli.brief import document_text
from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, colours, note, width
from harness.topdown.counting import CountingBackend
from harness.topdown.interval_follower import OnSlice
from harness.topdown.interval_text import IntervalLines, missing_values, plot
from harness.topdown.options import OutputForm, TopdownOptions
from harness.topdown.picture import picture
from harness.topdown.result import TopdownResult, slice_record, topdown_result
from harness.topdown.sources import measure_slots
from harness.topdown.table import table
from harness.topdown.text import TreeView, lines
from topdown.slots.measurement import Measurement, Slice


def run_topdown(
    options: TopdownOptions,
    backend: CountingBackend = CountingBackend(),  # noqa: B008 - immutable
) -> int:
    """Return the exit code, after printing intervals as they are measured and the result.

    Raises the errors of measure_slots().
    """
    with _interval_output(options) as on_slice:
        run = measure_slots(options, on_slice, backend)
    result = topdown_result(run.measurement)
    levels = [node.level for node in result.nodes.values() if node.level is not None]
    if levels:
        note_level(options.level, max(levels))
    try:
        _print(result, options)
    finally:  # also if the reader of standard output has closed it
        _write_file(result, options)
    return run.exit_code


def note_level(level: int | None, deepest: int) -> None:
    """Print a note if a level is deeper than the tree, which is then shown whole."""
    if level is not None and level > deepest:
        plural = "s" if deepest > 1 else ""
        note(f"-l {level}: this CPU's tree has {deepest} level{plural}; all are shown")


def _print(result: TopdownResult, options: TopdownOptions) -> None:
    if options.form is OutputForm.JSON:
        click.echo(document_text(result.to_level(options.level)))
    elif options.form is OutputForm.CSV:
        for text in table(result.to_level(options.level)):
            click.echo(text, nl=False)
    else:
        _print_text(result, options)


def _print_text(result: TopdownResult, options: TopdownOptions) -> None:
    columns = width()
    if result.intervals:
        click.echo()
        for line in (*plot(result, columns), *missing_values(result, columns)):
            click.echo(line, color=colours())
        click.echo()
    for line in lines(result, TreeView(options.level, columns, result.kind)):
        click.echo(line, color=colours())


def _write_file(result: TopdownResult, options: TopdownOptions) -> None:
    """Write the picture or page that -o names."""
    if options.output is None or not (options.picture or options.page):
        return
    if options.page:
        from harness.topdown.page import render_slots_page  # noqa: PLC0415 - loads numpy

        title = result.source if options.choice is None else options.choice.describe()
        page = render_slots_page(result, title=title, recording_name="", host={})
        write_whole(options.output, [page])
    elif result.kind == "unavailable":
        return  # reported before the measurement
    else:
        write_whole(options.output, [picture(result, options.picture)])
    note(f"written: {options.output}")


@contextmanager
def _interval_output(options: TopdownOptions) -> Iterator[OnSlice]:
    """Yield a function that prints an interval: on stdout, or on stderr beside a document."""
    interval_lines = IntervalLines(width())
    status = LiveLine()

    def show(time_slice: Slice, measurement: Measurement) -> None:
        record = slice_record(time_slice, measurement.kind)
        for line in interval_lines.lines(record, kind=measurement.kind, whole=measurement.whole):
            if options.form is OutputForm.TEXT:
                click.echo(line, color=colours())
                sys.stdout.flush()
            else:
                status.show(click.unstyle(line))

    try:
        yield show
    finally:
        status.clear()
