"""The argument of commands that read a recording."""

from pathlib import Path

import click

RUN_HELP = "RUN is a directory that record or profile made, or a perf.data file."

run_argument = click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
