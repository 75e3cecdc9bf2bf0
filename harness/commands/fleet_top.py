"""`stallscope fleet top`: the hottest functions of many hosts."""

from pathlib import Path

import click

from harness.cli.fleet_options import query_options
from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope fleet top monday
  stallscope fleet top monday --json | jq '.functions[0]'
  stallscope fleet top monday --scheduler local
  stallscope fleet top monday --scheduler tcp://10.0.0.1:8786 --from 2026-11-28T08
"""


@click.command(epilog=EXAMPLES)
@query_options
@click.option(
    "--top",
    type=click.IntRange(1, 100_000),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of functions.",
)
@click.option("-e", "--event", default="", help="Event to show. Default: that of most recordings.")
@json_option
def command(
    directories: tuple[Path, ...],
    begin: str | None,
    end: str | None,
    scheduler: str | None,
    top: int,
    event: str,
    as_json: bool,
) -> None:
    """Show the hottest functions of many hosts.

    DIR is a directory of `stallscope fleet record`, or one with a directory of recordings per host.
    A part of the data set that is damaged, or whose worker is lost, is named; the result has the
    others. Needs the extra fleet: pip install 'stallscope[fleet]'.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.query import QueryOptions  # noqa: PLC0415
    from harness.fleet.top.session import fleet_top  # noqa: PLC0415
    from harness.fleet.top.text import lines  # noqa: PLC0415

    options = QueryOptions(directories, scheduler, begin, end)
    print_result(fleet_top(options, top=top, event=event), lines, as_json=as_json)
