"""`stallscope fleet slots`: pipeline slots of many hosts."""

from typing import TYPE_CHECKING

import click

from harness.cli.json_option import json_option
from harness.fleet.command_options import query_options

if TYPE_CHECKING:
    from harness.fleet.query import QueryOptions

EXAMPLES = """\b
Examples:
  stallscope fleet slots monday
  stallscope fleet slots monday --json
  stallscope fleet slots monday --scheduler local --from 2026-11-28T08
"""


@click.command(epilog=EXAMPLES)
@query_options
@json_option
def command(
    options: "QueryOptions",
    as_json: bool,
) -> None:
    """Show shares of pipeline slots of many hosts."""
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.slots.session import fleet_slots  # noqa: PLC0415
    from harness.fleet.slots.text import lines  # noqa: PLC0415

    print_result(fleet_slots(options), lines, as_json=as_json)
