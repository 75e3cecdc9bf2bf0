"""The argument of commands that read a recording."""

from pathlib import Path

import click

RUN_HELP = (
    "RUN is a directory that record or profile made, a perf.data file, or a file of another tool: "
    "text of perf script, folded stacks, pprof, OTLP, speedscope, or the Firefox Profiler."
)

run_argument = click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
