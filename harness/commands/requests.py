"""`stallscope requests`: shows what slow requests of a program do beside others."""

from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.wait_recording_options import wait_recording_options

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
@wait_recording_options(", and most requests cannot be explained. Default: 0.25.")
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
