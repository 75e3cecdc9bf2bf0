"""The option of commands that print a result and may also write it as a page."""

from pathlib import Path

import click

page_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write an HTML page to this file.",
)
