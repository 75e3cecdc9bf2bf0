"""Running what `stallscope topdown` was asked for, and printing what came out."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, colours, note, width
from harness.topdown.counting import Means
from harness.topdown.document import document, table
from harness.topdown.engine import take
from harness.topdown.follow import OnSlice
from harness.topdown.intervals import IntervalLines, doubts, plot
from harness.topdown.plot import picture
from harness.topdown.replay_document import replay_elements, replay_rows
from harness.topdown.request import Form, Request
from harness.topdown.tree import View, lines
from topdown.slots.measurement import Measurement, Slice
from topdown.slots.replay.measurement import measurement_of_reading
from topdown.slots.replay.model_readings import read_model_readings

REPLAYED = "replayed"  # measured, as the file says; by whom and how well only it can tell


def show_replay(asked: Request) -> None:
    """Print the trees of a file's counts."""
    assert asked.file is not None
    found = read_model_readings(asked.file, cpu=asked.cpu)
    _note_level(asked.level, max(each.model.deepest for each in found))
    trees = (each.tree() for each in found)
    if asked.form is not Form.TEXT:
        as_text = replay_elements if asked.form is Form.JSON else replay_rows
        for text in as_text(trees, asked.level):
            click.echo(text, nl=False)
        return
    view = View(asked.level, width(), REPLAYED)
    for place, (each, tree) in enumerate(zip(found, trees, strict=True)):
        measurement = measurement_of_reading(each.reading, tree)
        for line in [*([""] if place else []), *lines(measurement, view)]:
            click.echo(line, color=colours())


def show_measured(asked: Request, means: Means = Means()) -> int:  # noqa: B008 - immutable
    """Return the exit code, after printing intervals as they are measured and the result.

    Raises the errors of take().
    """
    with _live(asked) as on_slice:
        taken = take(asked, on_slice, means)
    levels = [node.level for node in taken.measurement.nodes if node.level is not None]
    if levels:
        _note_level(asked.level, max(levels))
    try:
        _print(taken.measurement, asked)
    finally:  # whoever reads the text may leave before its end
        _write_file(taken.measurement, asked)
    return taken.exit_code


def _note_level(level: int | None, deepest: int) -> None:
    """Print a note if a level is deeper than the tree, which is then shown whole."""
    if level is not None and level > deepest:
        plural = "s" if deepest > 1 else ""
        note(f"-l {level}: this CPU's tree has {deepest} level{plural}; all are shown")


def _print(measurement: Measurement, asked: Request) -> None:
    if asked.form is Form.JSON:
        click.echo(json.dumps(document(measurement, asked.level), allow_nan=False))
    elif asked.form is Form.CSV:
        for text in table(measurement, asked.level):
            click.echo(text, nl=False)
    else:
        _print_text(measurement, asked)


def _write_file(measurement: Measurement, asked: Request) -> None:
    """Write the picture or page that -o names."""
    if asked.output is None or not (asked.picture or asked.page):
        return
    if asked.page:
        from harness.topdown.page import render_slots_page  # noqa: PLC0415 - loads numpy

        title = measurement.source if asked.choice is None else asked.choice.describe()
        page = render_slots_page(measurement, title=title, recording_name="", host={})
        write_whole(asked.output, [page])
    else:
        write_whole(asked.output, [picture(measurement, asked.picture)])
    note(f"written: {asked.output}")


def _print_text(measurement: Measurement, asked: Request) -> None:
    columns = width()
    if measurement.slices:
        click.echo()
        for line in (*plot(measurement, columns), *doubts(measurement, columns)):
            click.echo(line, color=colours())
        click.echo()
    for line in lines(measurement, View(asked.level, columns, str(measurement.kind))):
        click.echo(line, color=colours())


@contextmanager
def _live(asked: Request) -> Iterator[OnSlice]:
    """Yield what is called with each interval: lines on stdout, or on stderr beside a document."""
    told = IntervalLines(width())
    status = LiveLine()

    def show(each: Slice, measurement: Measurement) -> None:
        for line in told.lines(each, measurement):
            if asked.form is Form.TEXT:
                click.echo(line, color=colours())
                sys.stdout.flush()
            else:
                status.show(click.unstyle(line))

    try:
        yield show
    finally:
        status.clear()
