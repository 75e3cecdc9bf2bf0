"""`stallscope profile`: records, symbolizes, writes the page, prints the summary."""

from typing import Any

import click

from harness.cli.recording_options import collector_options, target_options

EXAMPLES = """\b
Examples:
  stallscope profile -p $(pidof redis-server)
  stallscope profile -p 4711 --duration 30 -F 99 -o slow-query
  stallscope profile -- gcc -O2 -c big.c
  stallscope profile --slots --locate -p 4711
  stallscope profile -e task-clock --with page-faults,context-switches -- make
  stallscope profile -p 4711 --json | jq .functions[0]
"""


@click.command(epilog=EXAMPLES)
@target_options
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
@click.option(
    "--locate",
    is_flag=True,
    help="With --slots: then sample the events that find what is over its threshold.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(top: int, lines: int, inlined: bool, locate: bool, as_json: bool, **values: Any) -> int:
    """Record a process or command, and make its flame page.

    Prints the functions that took the CPU time and writes DIR/report.html, one page that works
    offline. Every share names its source; what was lost, unknown or cut short is said.
    """
    from harness.cli.target_status import exit_code, explain  # noqa: PLC0415
    from harness.profile.analysis import analyze  # noqa: PLC0415
    from harness.profile.group_recorder import start  # noqa: PLC0415
    from harness.profile.locating import locate_flagged  # noqa: PLC0415 - start-up stays light
    from harness.profile.page_files import write_page  # noqa: PLC0415
    from harness.profile.recorder import interrupted_once  # noqa: PLC0415
    from harness.profile.text import Places, show  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    options = collector_options(values)
    if locate and not values["slots"]:
        raise UsageError("--locate follows what --slots flags", "add --slots")
    with interrupted_once(options):
        recording, outcome = start(options, slots=values["slots"], as_json=as_json)
        analysis = analyze(recording, lines=lines, inlined=inlined)
        page = write_page(recording, analysis)
        located = None
        if locate:
            located = locate_flagged(options, recording, analysis, lines=lines, as_json=as_json)
    places = Places(recording.path, page)
    show(analysis, places, top=top, as_json=as_json, located=located)
    assert recording.manifest is not None
    explain(recording.manifest, outcome)
    return exit_code(recording.manifest, outcome)
