"""`stallscope pack`: a recording with its symbols as one archive."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.symbol_options import debug_file_options, symbol_places

EXAMPLES = """\b
Examples:
  stallscope pack slow-query
  stallscope pack slow-query --redact -o case.stallscope.tar.gz
  stallscope pack slow-query --redact --debug-directory .
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Archive to write. Default: RUN.stallscope.tar.gz here.",
)
@click.option(
    "--redact",
    is_flag=True,
    help="Leave out host names, arguments and paths. Profiles only: their named stacks are packed.",
)
@debug_file_options
@json_option
def command(
    run: Path,
    output: Path | None,
    redact: bool,
    debug_directories: tuple[Path, ...],
    debuginfod: str,
    as_json: bool,
) -> None:
    """Write a recording with its symbols to one archive.

    Read it on another machine with `stallscope unpack FILE`.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.pack.options import PackOptions  # noqa: PLC0415
    from harness.pack.session import pack  # noqa: PLC0415
    from harness.pack.text import lines  # noqa: PLC0415

    places = symbol_places((), debug_directories, debuginfod)
    result = pack(PackOptions(run, output, redact, places=places))
    print_result(result, lines, as_json=as_json)
