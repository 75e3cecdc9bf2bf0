"""`stallscope fleet waits`: where threads of many hosts spend time."""

from typing import TYPE_CHECKING

import click

from harness.cli.json_option import json_option
from harness.fleet.command_options import query_options, top_option

if TYPE_CHECKING:
    from harness.fleet.query import QueryOptions

EXAMPLES = """\b
Examples:
  stallscope fleet waits monday
  stallscope fleet waits monday --state run_queue --top 5
  stallscope fleet waits monday --scheduler local
  stallscope fleet waits monday --scheduler tcp://10.0.0.1:8786 --from 2026-11-28T08
"""


@click.command(epilog=EXAMPLES)
@query_options
@top_option("groups")
@click.option(
    "--state", default="", metavar="STATE", help="State that ranks the groups. Default: all states."
)
@json_option
def command(
    options: "QueryOptions",
    top: int,
    state: str,
    as_json: bool,
) -> None:
    """Show where the threads of many hosts spend wall time."""
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.waits.session import fleet_waits  # noqa: PLC0415
    from harness.fleet.waits.text import lines  # noqa: PLC0415

    print_result(fleet_waits(options, top=top, state=state), lines, as_json=as_json)
