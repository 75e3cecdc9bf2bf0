"""`stallscope fleet top`: the hottest functions of many recordings."""

from pathlib import Path

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope fleet top fleet
  stallscope fleet top fleet/db1 fleet/db2 --top 50
  stallscope fleet top fleet --json | jq '.functions[0]'
  stallscope fleet top fleet --scheduler tcp://scheduler:8786
"""


@click.command(epilog=EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))
@click.option(
    "--top",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Number of functions to print, the hottest first.",
)
@click.option(
    "--scheduler",
    default="",
    metavar="ADDRESS",
    help="Dask scheduler whose workers read the recordings, from the same paths. Default: none.",
)
@json_option
def command(paths: tuple[Path, ...], top: int, scheduler: str, as_json: bool) -> None:
    """Show the hottest functions of many recordings.

    DIR is a directory of fleet record, or a recording. Weights of all hosts are added. A recording
    that cannot be read is named and left out.
    """
    from harness.cli.brief import document_text  # noqa: PLC0415 - start-up stays light
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.fleet.top.options import FleetTopOptions, recordings_below  # noqa: PLC0415
    from harness.fleet.top.session import top_functions  # noqa: PLC0415
    from harness.fleet.top.text import lines  # noqa: PLC0415

    result = top_functions(
        FleetTopOptions(recordings=recordings_below(paths), top=top, scheduler=scheduler)
    )
    if as_json:
        click.echo(document_text(result))
        return
    for line in lines(result, width()):
        click.echo(line)
