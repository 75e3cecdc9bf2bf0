"""`stallscope fleet latency`: merged histograms of many hosts."""

from typing import TYPE_CHECKING

import click

from harness.cli.json_option import json_option
from harness.fleet.command_options import query_options, top_option

if TYPE_CHECKING:
    from harness.fleet.query import QueryOptions

EXAMPLES = """\b
Examples:
  stallscope fleet latency monday
  stallscope fleet latency monday --log intended
  stallscope fleet latency monday --scheduler local
  stallscope fleet latency monday --scheduler tcp://10.0.0.1:8786 --from 2026-11-28T08
"""


@click.command(epilog=EXAMPLES)
@query_options
@top_option("hosts with the highest p99, per log", default=5, least=0)
@click.option(
    "--log", default="", metavar="NAME", help="Name of the latency log to show. Default: all logs."
)
@json_option
def command(
    options: "QueryOptions",
    top: int,
    log: str,
    as_json: bool,
) -> None:
    """Show latency percentiles over many hosts."""
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.latency.session import fleet_latency  # noqa: PLC0415
    from harness.fleet.latency.text import lines  # noqa: PLC0415

    print_result(fleet_latency(options, top=top, log=log), lines, as_json=as_json)
