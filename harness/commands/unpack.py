"""`stallscope unpack`: a recording from an archive."""

from pathlib import Path

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope unpack slow-query.stallscope.tar.gz
  stallscope unpack case.stallscope.tar.gz -o case
"""


@click.command(epilog=EXAMPLES)
@click.argument("archive", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory to create. Default: named after the archive, in the current directory.",
)
@json_option
def command(archive: Path, output: Path | None, as_json: bool) -> None:
    """Unpack an archive of `stallscope pack`.

    Links, names that leave the directory, and archives beyond 16 GiB or 10,000 files are refused.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.pack.session import unpack  # noqa: PLC0415
    from harness.pack.text import unpack_lines  # noqa: PLC0415

    print_result(unpack(archive, output), unpack_lines, as_json=as_json)
