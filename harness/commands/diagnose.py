"""`stallscope diagnose`: what limits a target, in order of cost."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.symbol_options import debug_file_options
from harness.cli.wait_recording_options import wait_recording_options

EXAMPLES = """\b
Examples:
  stallscope diagnose -p $(pidof redis-server)
  stallscope diagnose -p 4711 --duration 30 -o slow
  stallscope diagnose -- ./work --threads 4
  stallscope diagnose slow --debug-directory .
  stallscope diagnose -p 4711 --json | jq '.findings[0]'
"""


@click.command(epilog=EXAMPLES)
@wait_recording_options(". Default: 0.05.")
@click.option(
    "--path",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory of the target's data. Its disk is judged: a file in it is read now and then "
    "with O_DIRECT, one block at a time, at most 10 times per second. Nothing is written.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Earlier recording of waits or diagnosis to compare with, in a panel of the page.",
)
@click.option(
    "--model",
    is_flag=True,
    help="Without hardware counters, model the pipeline of CMD: run it again, several times "
    "natively and under simulation, which takes 20 to 100 times as long.",
)
@debug_file_options
@json_option
def command(as_json: bool, **values: Any) -> int:
    """Show what limits a process or command, in order of the wall time it costs.

    Records CPU samples, context switches and wake-ups in one pass, for 10 s unless --duration says
    otherwise. Each finding has its evidence, its place, what to try, and how to check it. If no
    cause costs a tenth of the wall time of working threads, nothing stands out. Causes that the
    recording cannot show are listed. RUN, a recording of waits, is diagnosed again.
    """
    from harness.diagnose.options import diagnose_options  # noqa: PLC0415 - start-up stays light
    from harness.diagnose.session import run_diagnose  # noqa: PLC0415

    return run_diagnose(diagnose_options({**values, "as_json": as_json}))
