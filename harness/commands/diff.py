"""`stallscope diff`: what differs between two recordings."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.renamed_option import RenamedOption
from harness.cli.symbol_options import debug_file_options, symbol_places

EXAMPLES = """\b
Examples:
  stallscope diff before after
  stallscope diff before after -o diff.html
  stallscope diff before after --per request --work 120000 118000
  stallscope diff before after --fail-above 1%      (exit code 1 if a frame grew by 1 point)
  stallscope diff before after --debug-directory .
  stallscope diff before after --json | jq '.frames[:5]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("before", type=click.Path(path_type=Path), metavar="A")
@click.argument("after", type=click.Path(path_type=Path), metavar="B")
@click.option(
    "--per",
    type=click.Choice(["samples", "time", "request"]),
    default="samples",
    show_default=True,
    help="What values are divided by: all samples (shares), seconds of the recording, or requests.",
)
@click.option(
    "--work",
    nargs=2,
    type=click.FloatRange(0, 1e18, min_open=True),
    metavar="A B",
    help="Number of requests, or other units of work, in A and in B; for --per request.",
)
@click.option(
    "--fail-above",
    metavar="SHARE",
    help="Exit with code 1 if a flagged row grew by at least this: 1% or 0.01.",
)
@click.option("--force", is_flag=True, help="Compare recordings of different machines.")
@click.option(
    "-e",
    "--event",
    default="",
    metavar="EVENT",
    help="Event to compare. Default: the first recorded.",
)
@debug_file_options
@click.option(
    "--top",
    "limit",
    cls=RenamedOption,
    former=("--limit",),
    type=click.IntRange(1, 100_000),
    default=30,
    show_default=True,
    metavar="N",
    help="Number of rows to print.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Page to write: the table, and the flame graph of B by change.",
)
@json_option
def command(
    before: Path,
    after: Path,
    per: str,
    work: tuple[float, float] | None,
    fail_above: str | None,
    force: bool,
    event: str,
    debug_directories: tuple[Path, ...],
    debuginfod: str,
    limit: int,
    output: Path | None,
    as_json: bool,
) -> int:
    """Show what differs between two recordings, beyond their noise.

    Compares profiles by function (self and total), recordings of waits by thread state, of
    counters by slot, and of loads by band of latency. The noise comes from the recordings
    themselves: each is split into blocks of time. A row is flagged if its change is larger, with a
    correction for the number of rows.
    """
    from harness.cli.quantity_options import share_of  # noqa: PLC0415 - start-up stays light
    from harness.diff.options import Basis, DiffOptions  # noqa: PLC0415
    from harness.diff.session import run_diff  # noqa: PLC0415 - start-up stays light

    options = DiffOptions(
        before=before,
        after=after,
        basis=Basis(per),
        work=work,
        fail_above=None if fail_above is None else share_of("--fail-above", fail_above),
        force=force,
        output=output,
        limit=limit,
        event=event,
        places=symbol_places((), debug_directories, debuginfod),
    )
    return run_diff(options, as_json=as_json)
