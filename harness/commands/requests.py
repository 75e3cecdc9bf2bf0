"""`stallscope requests`: shows what slow requests of a program do beside others."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.recording_options import process_options

EXAMPLES = """\b
Examples:
  stallscope requests -p $(pidof server) --duration 30
  stallscope requests -o slow -- ./server --port 8000
  stallscope requests slow
  cc -I $(dirname $(stallscope requests --header)) server.c
"""


def _print_header(context: click.Context, _: click.Parameter, value: bool) -> None:
    if not value:
        return
    from harness.requests.header import header_path  # noqa: PLC0415 - start-up stays light

    click.echo(header_path())
    context.exit()


@click.command(epilog=EXAMPLES)
@process_options("[RUN | -- CMD...]")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Directory for the recording, by default stallscope-<target>-<time>; of a shown RUN, the "
    "page, by default RUN/report.html.",
)
@click.option("--force", is_flag=True, help="Replace an existing recording.")
@click.option(
    "--max-cost",
    type=click.FloatRange(0.001, 1),
    metavar="SHARE",
    help="Share of the target's CPU time that recording may cost. Above it, switches are recorded "
    "in random windows only, and most requests cannot be explained. Default: 0.25.",
)
@click.option(
    "--max-size",
    "max_size_mib",
    type=click.IntRange(1, 1 << 30),
    metavar="MIB",
    help="End the recording at this size, and keep it. Default: 2048.",
)
@click.option(
    "--trace-marker",
    is_flag=True,
    help="Also collect marks that programs write to /sys/kernel/tracing/trace_marker as text, such "
    'as "stallscope: begin 4711 checkout" (root, Linux 6.16).',
)
@click.option(
    "--header",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_header,
    help="Print the path of stallscope_request.h, with which a program marks its requests.",
)
@json_option
def command(as_json: bool, **values: Any) -> int:
    """Show what slow requests of a process or command do beside others.

    The program marks the begin and end of its requests with stallscope_request.h; the reference
    server does. Divides the latency of requests above the 99th percentile and of those around the
    median into states: running, run queue, lock, disk, network, suspended, and more. Prints what
    explains the difference, with the place in the program, and writes DIR/report.html. RUN, a
    recording with requests, is shown again.
    """
    from harness.requests.options import requests_options  # noqa: PLC0415 - start-up stays light
    from harness.requests.session import run_requests  # noqa: PLC0415

    return run_requests(requests_options({**values, "as_json": as_json}))
