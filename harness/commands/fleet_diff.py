"""`stallscope fleet diff`: functions of two sets of recordings of many hosts."""

from pathlib import Path

import click

from harness.cli.fleet_options import query_options
from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope fleet diff monday tuesday
  stallscope fleet diff monday tuesday --json
  stallscope fleet diff monday tuesday --scheduler local --top 50
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
@click.option(
    "-e",
    "--event",
    default="",
    help="Event to compare. Default: that of most recordings, of those in both sets.",
)
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
    """Compare the functions of two sets of many hosts.

    Takes two directories of `stallscope fleet record`: before and after. --from and --to apply to
    both. A part of the data set that is damaged, or whose worker is lost, is named; the result has
    the others. Needs the extra fleet: pip install 'stallscope[fleet]'.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.fleet.diff.session import fleet_diff  # noqa: PLC0415
    from harness.fleet.diff.text import lines  # noqa: PLC0415
    from harness.fleet.query import QueryOptions  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    if len(directories) != 2:
        raise UsageError(
            f"fleet diff compares two directories, not {len(directories)}",
            "stallscope fleet diff BEFORE AFTER",
        )
    before, after = (QueryOptions((directory,), scheduler, begin, end) for directory in directories)
    print_result(fleet_diff(before, after, top=top, event=event), lines, as_json=as_json)
