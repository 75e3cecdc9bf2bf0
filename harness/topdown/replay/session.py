"""A run of `stallscope topdown --source replay:FILE`."""

import click

from harness.cli.brief import document_text, is_brief
from harness.cli.terminal import colours, width
from harness.topdown.options import OutputForm, TopdownOptions
from harness.topdown.replay.result import replay_list, replay_result, replay_table
from harness.topdown.result import topdown_result
from harness.topdown.session import note_level
from harness.topdown.text import TreeView, lines
from topdown.slots.replay.measurement import measurement_of_reading
from topdown.slots.replay.model_readings import read_model_readings

REPLAYED = "replayed"  # the file, and not stallscope, determines how counts were measured


def run_replay(options: TopdownOptions) -> None:
    """Print the trees of a file's counts."""
    assert options.file is not None
    readings = read_model_readings(options.file, cpu=options.cpu)
    note_level(options.level, max(reading.model.deepest for reading in readings))
    if is_brief():
        first = replay_result(readings[0].tree(), options.level)
        click.echo(document_text(first, readings=len(readings)))
        return
    trees = (reading.tree() for reading in readings)
    if options.form is not OutputForm.TEXT:
        document = replay_list if options.form is OutputForm.JSON else replay_table
        for text in document(trees, options.level):
            click.echo(text, nl=False)
        return
    view = TreeView(options.level, width(), REPLAYED)
    for number, (reading, tree) in enumerate(zip(readings, trees, strict=True)):
        result = topdown_result(measurement_of_reading(reading.reading, tree))
        for line in [*([""] if number else []), *lines(result, view)]:
            click.echo(line, color=colours())
