"""`stallscope top`: a live view of what limits a process or the machine."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import SecondsRange
from harness.cli.symbol_options import debug_file_options, symbol_places

EXAMPLES = """\b
Examples:
  stallscope top
  stallscope top -p $(pidof -s redis-server)
  stallscope top -p 4711 --once --debug-directory .
  stallscope top -p 4711 --json | jq .verdict
"""


@click.command(epilog=EXAMPLES)
@click.option("-p", "--pid", type=int, metavar="PID", help="Watch this process. Default: all CPUs.")
@click.option(
    "--interval",
    type=SecondsRange(0.5, 3600),
    default=2.0,
    show_default=True,
    metavar="S",
    help="Seconds between two updates.",
)
@click.option(
    "--functions",
    type=SecondsRange(0, 86400),
    default=300.0,
    show_default=True,
    metavar="S",
    help="Seconds between two recordings of the hottest functions, each 3 s at 49 Hz; 0: none.",
)
@click.option("--once", is_flag=True, help="Print one snapshot and end, as in a pipe.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Directory for the recordings of key p. Default: the current one.",
)
@debug_file_options
@json_option
def command(
    pid: int | None,
    interval: float,
    functions: float,
    once: bool,
    directory: Path,
    debug_directories: tuple[Path, ...],
    debuginfod: str,
    as_json: bool,
) -> int:
    """Show live what limits a process or the machine.

    Shows a verdict, the wall time of the threads by category, the run queue, sleep states, disk
    latency and the hottest functions. The key ? lists the keys; p freezes the view and writes the
    page. Your own processes need no root; what is not available is listed with its
    reason.
    """
    from harness.top.options import TopOptions  # noqa: PLC0415 - start-up stays light
    from harness.top.session import run_top  # noqa: PLC0415

    return run_top(
        TopOptions(
            pid=pid,
            interval_s=interval,
            functions_s=functions,
            once=once,
            as_json=as_json,
            directory=directory,
            places=symbol_places((), debug_directories, debuginfod),
        )
    )
