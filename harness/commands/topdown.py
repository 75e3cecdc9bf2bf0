"""`stallscope topdown`: shows where pipeline slots are lost."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import SecondsRange
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
    help="Deepest level of the tree. Default: 2, and deeper below nodes above their threshold; in "
    "documents all levels.",
)
@click.option(
    "-I",
    "--interval",
    "interval_ms",
    type=click.IntRange(min=1),
    metavar="MS",
    help="Length of intervals in milliseconds, at least 50: print a line per interval, and a plot "
    "at the end.",
)
@click.option(
    "--repeat",
    "runs",
    type=click.IntRange(2, 1000),
    metavar="N",
    help="Number of runs; error intervals are then across runs. Default: 1.",
)
@click.option(
    "--drill", is_flag=True, help="Measure the marked branch again, down to its deepest nodes."
)
@click.option(
    "--no-multiplex",
    "multiplex",
    flag_value=False,
    default=True,
    help="Count event groups one after the other instead of multiplexing them.",
)
@click.option(
    "--source",
    default="auto",
    show_default=True,
    metavar="SOURCE",
    help="Source of the numbers. pmu: hardware counters. model: a simulation of CMD. replay:FILE: "
    "counts in a file (JSON, or output of perf stat -j or -x) or in a recording's directory. "
    "auto: hardware counters, else samples and kernel counters.",
)
@click.option(
    "-e",
    "--event",
    "events",
    multiple=True,
    metavar="EVENTS",
    help="Additional events, separated by commas: names of the vendor, libpfm4 or perf, or raw "
    "codes.",
)
@click.option(
    "--cpu",
    default="",
    metavar="CPU",
    help="CPU model to use instead of the one of the machine or file.",
)
@click.option(
    "--model-timeout",
    type=SecondsRange(min=1),
    metavar="S",
    help="Time limit for a simulated run of --source model, in seconds. Default: 900.",
)
@click.option(
    "--self-test",
    is_flag=True,
    help="Check this CPU's counters with programs whose bottleneck is known, and write a file.",
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print a CSV table with one line per node.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Directory for the recording; or a file for a page (.html) or a plot of -I (.svg, .png).",
)
@click.option("--force", is_flag=True, help="Replace an existing recording.")
def command(self_test: bool, **values: Any) -> int:
    """Show where pipeline slots are lost.

    Each slot is retired work, discarded work, or a wait for the front end or the back end of the
    pipeline; the tree refines these categories. Each value is printed with its error interval and
    its source: measured, modelled, or unavailable with the reason.
    """
    from harness.topdown.options import SlotSource, topdown_options  # noqa: PLC0415 - start-up stays light
    from harness.topdown.session import run_topdown  # noqa: PLC0415

    if self_test:
        from harness.topdown.self_test.session import run_self_test  # noqa: PLC0415

        return run_self_test(values)
    options = topdown_options(values)
    if options.source is SlotSource.REPLAY:
        from harness.topdown.replay.session import run_replay  # noqa: PLC0415

        run_replay(options)
        return 0
    return run_topdown(options)
