"""`stallscope fleet slots`: pipeline slots of many hosts."""

from pathlib import Path

import click

from harness.cli.fleet_options import query_options
from harness.cli.json_option import json_option

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
    directories: tuple[Path, ...],
    begin: str | None,
    end: str | None,
    scheduler: str | None,
    as_json: bool,
) -> None:
    """Show shares of pipeline slots of many hosts.

    DIR is a directory of `stallscope fleet record`, or one with a directory of recordings per host.
    A part of the data set that is damaged, or whose worker is lost, is named; the result has the
    others. Needs the extra fleet: pip install 'stallscope[fleet]'.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.query import QueryOptions  # noqa: PLC0415
    from harness.fleet.slots.session import fleet_slots  # noqa: PLC0415
    from harness.fleet.slots.text import lines  # noqa: PLC0415

    options = QueryOptions(directories, scheduler, begin, end)
    print_result(fleet_slots(options), lines, as_json=as_json)
