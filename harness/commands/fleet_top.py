"""`stallscope fleet top`: the hottest functions of many hosts."""

from typing import TYPE_CHECKING

import click

from harness.cli.json_option import json_option
from harness.fleet.command_options import query_options, top_option, with_places

if TYPE_CHECKING:
    from harness.fleet.query import QueryOptions

EXAMPLES = """\b
Examples:
  stallscope fleet top monday
  stallscope fleet top monday --json | jq '.functions[0]'
  stallscope fleet top monday --debug-directory debug-files
  stallscope fleet top monday --scheduler local
  stallscope fleet top monday --scheduler tcp://10.0.0.1:8786 --from 2026-11-28T08
"""


@click.command(epilog=EXAMPLES)
@query_options
@top_option("functions")
@click.option(
    "-e",
    "--event",
    default="",
    metavar="EVENT",
    help="Event to show. Default: that of most recordings.",
)
@with_places
@json_option
def command(
    options: "QueryOptions",
    top: int,
    event: str,
    as_json: bool,
) -> None:
    """Show the hottest functions of many hosts."""
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.top.session import fleet_top  # noqa: PLC0415
    from harness.fleet.top.text import lines  # noqa: PLC0415

    print_result(fleet_top(options, top=top, event=event), lines, as_json=as_json)
