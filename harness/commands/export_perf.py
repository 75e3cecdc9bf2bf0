"""`stallscope export perf`: the samples of a recording for the tools of perf."""

from pathlib import Path

import click

from harness.cli.recording_argument import run_argument

EXAMPLES = """\b
Examples:
  stallscope export perf slow-query -o perf.data && perf report --no-inline -i perf.data
  stallscope export perf slow-query -o - | perf script -i -
"""


@click.command(epilog=EXAMPLES)
@run_argument
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Output file. - is standard output.",
)
def command(run: Path, output: Path) -> None:
    """Write the samples of a recording in perf's pipe format.

    RUN is a directory that record or profile made, or a perf.data file. Frames of Python and other
    runtimes are not in it.
    """
    from harness.export.perf.session import export_perf  # noqa: PLC0415 - start-up stays light

    export_perf(run, output)
