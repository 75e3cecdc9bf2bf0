"""`stallscope fleet waits`: where threads of many hosts spend time."""

from pathlib import Path

import click

from harness.cli.fleet_options import query_options
from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope fleet waits monday
  stallscope fleet waits monday --state run_queue --top 5
  stallscope fleet waits monday --scheduler local
  stallscope fleet waits monday --scheduler tcp://10.0.0.1:8786 --from 2026-11-28T08
"""


@click.command(epilog=EXAMPLES)
@query_options
@click.option(
    "--top",
    type=click.IntRange(1, 100_000),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of groups.",
)
@click.option("--state", default="", help="State that ranks the groups. Default: all states.")
@json_option
def command(
    directories: tuple[Path, ...],
    begin: str | None,
    end: str | None,
    scheduler: str | None,
    top: int,
    state: str,
    as_json: bool,
) -> None:
    """Show where the threads of many hosts spend wall time.

    DIR is a directory of `stallscope fleet record`, or one with a directory of recordings per host.
    A part of the data set that is damaged, or whose worker is lost, is named; the result has the
    others. Needs the extra fleet: pip install 'stallscope[fleet]'.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.query import QueryOptions  # noqa: PLC0415
    from harness.fleet.waits.session import fleet_waits  # noqa: PLC0415
    from harness.fleet.waits.text import lines  # noqa: PLC0415

    options = QueryOptions(directories, scheduler, begin, end)
    print_result(fleet_waits(options, top=top, state=state), lines, as_json=as_json)
