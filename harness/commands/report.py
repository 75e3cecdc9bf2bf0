"""`stallscope report`: write the page and print the summary of a recording."""

from pathlib import Path

import click

from harness.cli.analysis_options import analysis_options
from harness.cli.json_option import json_option
from harness.cli.period_option import period_option
from harness.cli.recording_argument import RUN_HELP, run_argument
from harness.cli.symbol_options import symbol_places
from harness.cli.weight_option import weight_option

EXAMPLES = """\b
Examples:
  stallscope report slow-query
  stallscope report slow-query --inlined --lines 50
  stallscope report slow-query --lines --json | jq '.lines[0]'
  stallscope report slow-query --lines --source-map /build/src=$PWD
  stallscope report slow-query --no-page --top 30
  stallscope report perf.data -o page.html
  stallscope report slow-query --group module
  stallscope report slow-query --weight off-cpu
"""


@click.command(epilog=EXAMPLES)
@run_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Page to write. Default: RUN/report.html; for a perf.data file NAME.report.html here.",
)
@click.option("--no-page", is_flag=True, help="Print the summary only, do not write a page.")
@analysis_options
@click.option(
    "-e", "--event", default="", metavar="EVENT", help="Event to show. Default: the first recorded."
)
@period_option
@weight_option
@json_option
def command(
    run: Path,
    output: Path | None,
    no_page: bool,
    top: int,
    lines: int,
    inlined: bool,
    source_map: tuple[str, ...],
    debug_directories: tuple[Path, ...],
    debuginfod: str,
    group: str | None,
    event: str,
    weight: str | None,
    period: str | None,
    as_json: bool,
) -> None:
    """Write the page of a recording and print its summary."""
    from harness.profile.period import parse_period  # noqa: PLC0415 - start-up stays light
    from harness.report.options import ReportOptions  # noqa: PLC0415 - start-up stays light
    from harness.report.session import report  # noqa: PLC0415
    from topdown.waits.weight import Weight  # noqa: PLC0415

    options = ReportOptions(
        output=output,
        with_page=not no_page,
        as_json=as_json,
        top=top,
        lines=lines,
        inlined=inlined,
        event=event,
        weight=None if weight is None else Weight(weight),
        places=symbol_places(source_map, debug_directories, debuginfod),
        period=None if period is None else parse_period(period),
        by_module=group == "module",
    )
    report(run, options)


command.help = f"Write the page of a recording and print its summary.\n\n{RUN_HELP}"
