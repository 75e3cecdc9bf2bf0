"""`stallscope callers`: who calls a function of a recording."""

import inspect
from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.recording_argument import RUN_HELP, run_argument
from harness.cli.symbol_options import symbol_options, symbol_places

EXAMPLES = """\b
Examples:
  stallscope callers slow-query malloc
  stallscope callers slow-query malloc --source-map /build/src=$PWD
  stallscope callers slow-query malloc --json | jq '.callers[0]'
"""


@click.command(epilog=EXAMPLES)
@run_argument
@click.argument("function", metavar="FUNCTION")
@click.option(
    "-e", "--event", default="", metavar="EVENT", help="Event to show. Default: the first recorded."
)
@symbol_options
@json_option
def command(
    run: Path,
    function: str,
    event: str,
    source_map: tuple[str, ...],
    debug_directories: tuple[Path, ...],
    debuginfod: str,
    as_json: bool,
) -> None:
    """Show the callers of a function in a recording, its callees and source lines.

    FUNCTION is a name or a part of it; of several matches, the one with most time is shown. Shares
    of callers and callees are of the function's time.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415 - start-up stays light
    from harness.profile.analysis import analyze  # noqa: PLC0415
    from harness.profile.callers import callers_result  # noqa: PLC0415
    from harness.profile.callers_text import callers_lines  # noqa: PLC0415
    from harness.profile.options import AnalysisOptions  # noqa: PLC0415
    from stallscope.recordings import open_recording  # noqa: PLC0415

    recording = open_recording(run)
    places = symbol_places(source_map, debug_directories, debuginfod)
    analysis = analyze(recording, AnalysisOptions(lines=100, event=event, places=places))
    result = callers_result(analysis, function, str(recording.path))
    print_result(result, callers_lines, as_json=as_json)


command.help = f"{inspect.cleandoc(command.help or '')}\n\n{RUN_HELP}"
