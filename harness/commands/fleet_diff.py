"""`stallscope fleet diff`: functions of two sets of recordings of many hosts."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from harness.cli.json_option import json_option
from harness.fleet.command_options import query_options, top_option, with_places

if TYPE_CHECKING:
    from harness.fleet.query import QueryOptions

EXAMPLES = """\b
Examples:
  stallscope fleet diff monday tuesday
  stallscope fleet diff monday tuesday --json
  stallscope fleet diff monday tuesday --scheduler local --top 50
"""


@click.command(epilog=EXAMPLES)
@query_options
@top_option("functions")
@click.option(
    "-e",
    "--event",
    default="",
    metavar="EVENT",
    help="Event to compare. Default: that of most recordings, of those in both sets.",
)
@with_places
@json_option
def command(
    options: "QueryOptions",
    top: int,
    event: str,
    as_json: bool,
) -> None:
    """Compare the functions of two sets of many hosts.

    Takes two directories: before and after. --from and --to apply to both.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.diff.session import fleet_diff  # noqa: PLC0415
    from harness.fleet.diff.text import lines  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    if len(options.directories) != 2:
        raise UsageError(
            f"fleet diff compares two directories, not {len(options.directories)}",
            "stallscope fleet diff BEFORE AFTER",
        )
    before, after = (
        replace(options, directories=(directory,)) for directory in options.directories
    )
    print_result(fleet_diff(before, after, top=top, event=event), lines, as_json=as_json)
