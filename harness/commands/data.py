"""`stallscope data`: which data the loads of a recording read."""

import inspect
from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.recording_argument import RUN_HELP
from harness.cli.symbol_options import debug_file_options, symbol_places

EXAMPLES = """\b
Examples:
  stallscope data slow-query
  perf mem record -p 1234 -- sleep 10 && stallscope data perf.data
  stallscope data slow-query --debuginfod https://debuginfod.debian.net
  stallscope data perf.data --json | jq '.addresses.false_sharing'
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--top",
    type=click.IntRange(1),
    default=15,
    show_default=True,
    metavar="N",
    help="Number of rows to print.",
)
@debug_file_options
@json_option
def command(
    run: Path, top: int, debug_directories: tuple[Path, ...], debuginfod: str, as_json: bool
) -> None:
    """Show which data the loads of a recording read, and which lines threads share.

    Hot loads are resolved to a field of a type, such as order.next, by the instruction and the
    debug information of the program (built with -g; x86-64). Any recording has them.

    Recordings with data addresses (perf mem, perf c2c, Arm SPE) also give misses by cache line and
    by field, cache lines that threads share falsely, and memory accesses by node.
    """
    from harness.cli.brief import document_text  # noqa: PLC0415
    from harness.data.session import data_of_recording  # noqa: PLC0415 - start-up stays light
    from harness.data.text import data_text  # noqa: PLC0415

    result = data_of_recording(run, symbol_places((), debug_directories, debuginfod))
    click.echo(document_text(result) if as_json else data_text(result, top=top))


command.help = f"{inspect.cleandoc(command.help or '')}\n\n{RUN_HELP}"
