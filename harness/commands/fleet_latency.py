"""`stallscope fleet latency`: merged histograms of many hosts."""

from pathlib import Path

import click

from harness.cli.fleet_options import query_options
from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope fleet latency monday
  stallscope fleet latency monday --log intended
  stallscope fleet latency monday --scheduler local
  stallscope fleet latency monday --scheduler tcp://10.0.0.1:8786 --from 2026-11-28T08
"""


@click.command(epilog=EXAMPLES)
@query_options
@click.option(
    "--top",
    type=click.IntRange(0, 100_000),
    default=5,
    show_default=True,
    metavar="N",
    help="Number of hosts with the highest p99, per log.",
)
@click.option("--log", default="", help="Name of the log to show. Default: all logs.")
@json_option
def command(
    directories: tuple[Path, ...],
    begin: str | None,
    end: str | None,
    scheduler: str | None,
    top: int,
    log: str,
    as_json: bool,
) -> None:
    """Show latency percentiles over many hosts.

    DIR is a directory of `stallscope fleet record`, or one with a directory of recordings per host.
    A part of the data set that is damaged, or whose worker is lost, is named; the result has the
    others. Needs the extra fleet: pip install 'stallscope[fleet]'.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.latency.session import fleet_latency  # noqa: PLC0415
    from harness.fleet.latency.text import lines  # noqa: PLC0415
    from harness.fleet.query import QueryOptions  # noqa: PLC0415

    options = QueryOptions(directories, scheduler, begin, end)
    print_result(fleet_latency(options, top=top, log=log), lines, as_json=as_json)
