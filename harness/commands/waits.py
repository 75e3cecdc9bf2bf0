"""`stallscope waits`: shows what the threads of a target wait for."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.symbol_options import debug_file_options
from harness.cli.wait_recording_options import wait_recording_options

EXAMPLES = """\b
Examples:
  stallscope waits -p $(pidof redis-server)
  stallscope waits -p 4711 --duration 30 -o slow
  stallscope waits -- ./work --threads 4
  stallscope waits slow --graph
  stallscope waits slow --period 1.2-1.5
  stallscope waits --compare one-thread four-threads
  stallscope waits slow --debug-directory .
  stallscope waits -p 4711 --json | jq .groups
"""


@click.command(epilog=EXAMPLES)
@wait_recording_options(". Default: 0.05.")
@click.option(
    "--graph",
    is_flag=True,
    help="Print the wait-for graph: all causes of waits, each with the chain that leads to it.",
)
@click.option(
    "--period",
    metavar="FROM-TO",
    help="Show this period of RUN only, in seconds since its begin: 1.2-1.5.",
)
@click.option("--no-page", is_flag=True, help="Print the tables of RUN only, write no page.")
@click.option(
    "--compare",
    "compared",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="A B",
    help="Show which state grew from recording A to recording B, instead of recording.",
)
@debug_file_options
@json_option
def command(as_json: bool, **values: Any) -> int:
    """Show what the threads of a process, a command or a recording wait for.

    Divides the wall time of every thread into states that add up: running, waiting for a CPU, a
    lock, another thread, the disk, the network, a page, and more. Prints a table per thread group
    and writes DIR/report.html. Each state names its source; time without a known cause is shown.
    Ctrl-C ends the measurement and keeps it. RUN, a recording or a perf.data file with switches,
    is shown again.
    """
    from harness.waits.options import waits_options  # noqa: PLC0415 - start-up stays light

    options = waits_options({**values, "as_json": as_json})
    if options.compared is not None:
        from harness.waits.compare.session import run_comparison  # noqa: PLC0415

        return run_comparison(options.compared, as_json=as_json, places=options.places)
    from harness.waits.session import run_waits  # noqa: PLC0415

    return run_waits(options)
