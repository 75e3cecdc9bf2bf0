"""`stallscope report`: makes the page and the summary of a recording."""

from pathlib import Path

import click

from harness.cli.recording_options import RUN_HELP

EXAMPLES = """\b
Examples:
  stallscope report slow-query
  stallscope report slow-query --inlined --lines 50
  stallscope report slow-query --no-page --top 30
  stallscope report perf.data -o page.html
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to put the page. Default: RUN/report.html, for a file FILE.report.html here.",
)
@click.option("--no-page", is_flag=True, help="Print the summary only, write nothing.")
@click.option("--top", type=click.IntRange(1), default=15, show_default=True, help="Rows to print.")
@click.option(
    "--lines",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Find source lines and inlined functions of the N hottest addresses.",
)
@click.option(
    "--inlined",
    is_flag=True,
    help="Show functions the compiler inlined as frames of their own (needs debug information).",
)
@click.option("-e", "--event", default="", help="The event to show, where several were recorded.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(
    run: Path,
    output: Path | None,
    no_page: bool,
    top: int,
    lines: int,
    inlined: bool,
    event: str,
    as_json: bool,
) -> None:
    """Make the page of a recording."""
    from harness.report.options import ReportOptions  # noqa: PLC0415 - start-up stays light
    from harness.report.session import report  # noqa: PLC0415

    options = ReportOptions(
        output=output,
        with_page=not no_page,
        as_json=as_json,
        top=top,
        lines=lines,
        inlined=inlined,
        event=event,
    )
    report(run, options)


command.help = f"Make the page of a recording.\n\n{RUN_HELP}"
