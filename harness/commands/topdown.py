"""`stallscope topdown`: says where the pipeline's slots went."""

from pathlib import Path
from typing import Any

import click

from harness.cli.number_options import Number
from harness.cli.recording_options import choice_options

EXAMPLES = """\b
Examples:
  stallscope topdown -p 4711
  stallscope topdown -l 3 --drill -- gcc -O2 -c big.c
  stallscope topdown -a -I 100 --duration 30 -o slots.svg
  stallscope topdown --repeat 5 --json -- ./work | jq .bottleneck
  stallscope topdown --source model -- ./work
  stallscope topdown --source replay:counts.json
"""


@click.command(epilog=EXAMPLES)
@choice_options
@click.option(
    "-l",
    "--level",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show the tree down to level N. Default: 2, and further below what is over its "
    "threshold; for scripts all.",
)
@click.option(
    "-I",
    "--interval",
    "interval_ms",
    type=click.IntRange(min=1),
    metavar="MS",
    help="A tree for each so many milliseconds, at least 50: a line each, a plot at the end.",
)
@click.option(
    "--repeat",
    "runs",
    type=click.IntRange(2, 1000),
    metavar="N",
    help="Measure N times: intervals are then across runs.",
)
@click.option(
    "--drill", is_flag=True, help="Measure again just what the marked branch needs, deeper."
)
@click.option(
    "--no-multiplex",
    "multiplex",
    flag_value=False,
    default=True,
    help="Let no events take turns: count each group by itself, one after the other.",
)
@click.option(
    "--source",
    default="auto",
    show_default=True,
    metavar="SOURCE",
    help="Where numbers come from. pmu: hardware counters. model: a simulation of CMD. "
    "replay:FILE: counts in a file, as JSON or the output of perf stat -j or -x, or a recording's "
    "directory. "
    "auto: hardware counters, and never a model.",
)
@click.option(
    "-e",
    "--event",
    "events",
    multiple=True,
    metavar="EVENTS",
    help="Count these events as well: names of the vendor, libpfm4 or perf, or raw codes.",
)
@click.option(
    "--cpu", default="", metavar="CPU", help="Use this CPU's model, whatever the machine or file."
)
@click.option(
    "--model-timeout",
    type=Number(min=1),
    metavar="S",
    help="Give a simulated run of --source model up after so many seconds. Default: 900.",
)
@click.option(
    "--self-test",
    is_flag=True,
    help="Hold this CPU's counters to programs with known answers, and write a file of it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a CSV table, one line a node.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Keep the recording in this directory; or write a page (.html), or a plot of -I (.svg).",
)
@click.option("--force", is_flag=True, help="Replace a recording that is there already.")
def command(self_test: bool, **values: Any) -> int:
    """Show where the pipeline's slots went.

    Every slot is retired work, work thrown away, or a wait for the front or the back of the
    pipeline; the tree leads down to what a person can change. Each value stands with its error
    bar and its source: measured, modelled, or unavailable and why.
    """
    from harness.topdown.request import Source, request  # noqa: PLC0415 - start-up stays light
    from harness.topdown.session import show_measured, show_replay  # noqa: PLC0415

    if self_test:
        from harness.topdown.self_test import run_self_test  # noqa: PLC0415

        return run_self_test(values)
    asked = request(values)
    if asked.source is Source.REPLAY:
        show_replay(asked)
        return 0
    return show_measured(asked)
