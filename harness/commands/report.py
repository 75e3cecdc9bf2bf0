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
    from harness.cstates.record.files import is_idle  # noqa: PLC0415 - start-up stays light
    from harness.cstates.record.report import report_idle  # noqa: PLC0415
    from harness.io.recording import is_io  # noqa: PLC0415
    from harness.load.recording import is_load  # noqa: PLC0415
    from harness.load.report import report_load  # noqa: PLC0415
    from harness.profile.analysis import analyze  # noqa: PLC0415
    from harness.profile.page_files import write_page  # noqa: PLC0415
    from harness.profile.text import Places, show  # noqa: PLC0415
    from harness.report.disk import report_disk  # noqa: PLC0415
    from harness.topdown.report import report_counters  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415
    from stallscope.recordings import open_recording  # noqa: PLC0415
    from topdown.slots.counting.counting_run import is_counters_recording  # noqa: PLC0415

    if no_page and output is not None:
        raise UsageError("--no-page and -o exclude each other", "keep one of them")
    recording = open_recording(run)
    if is_counters_recording(recording.path):
        with_page = not no_page
        report_counters(recording, output=output, with_page=with_page, as_json=as_json)
        return
    if is_load(recording.path):
        report_load(recording, output=output, with_page=not no_page, as_json=as_json)
        return
    if is_idle(recording.path):
        report_idle(recording, output=output, with_page=not no_page, as_json=as_json)
        return
    if is_io(recording.path):
        report_disk(recording, output=output, with_page=not no_page, as_json=as_json)
        return
    analysis = analyze(recording, lines=lines, inlined=inlined, event=event)
    page = None if no_page else write_page(recording, analysis, output)
    places = Places(recording.path, page)
    show(analysis, places, top=top, as_json=as_json)


command.help = f"Make the page of a recording.\n\n{RUN_HELP}"
