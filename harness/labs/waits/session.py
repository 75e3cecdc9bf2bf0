"""A run of `stallscope lab waits`: rows are printed as they are known."""

import time

import click

from harness.cli.brief import document_text
from harness.cli.terminal import LiveLine, colours, width
from harness.labs.waits.comparison import TOLERANCE
from harness.labs.waits.measurement import measure_program
from harness.labs.waits.options import WaitsLabOptions
from harness.labs.waits.result import ProgramRow, WaitsLabResult
from harness.labs.waits.text import closing_lines, heading, row_line
from harness.labs.waits.waiting_programs import waiting_programs
from harness.recordings.settings_text import settings_now, settings_since
from stallscope.errors import ExitCode


def run_waits_lab(options: WaitsLabOptions) -> int:
    """Return the exit code after the programs were run and printed.

    After Ctrl-C the finished rows are printed as well.
    """
    programs = waiting_programs(options.names)
    runs = [
        (waiting, look_alike)
        for waiting in programs
        for look_alike in (False, True)
        if not look_alike or (options.look_alikes and waiting.look_alike)
    ]
    before = settings_now()
    live = LiveLine()
    rows: list[ProgramRow] = []
    began_s = time.monotonic()
    if not options.as_json:
        click.echo(heading())
    try:
        for number, (waiting, look_alike) in enumerate(runs):
            left_s = (time.monotonic() - began_s) / number * (len(runs) - number) if number else 0
            left = f", {left_s:.0f} s left" if number else ""
            kind = " (look-alike)" if look_alike else ""
            live.show(
                f"{number + 1} of {len(runs)}: {waiting.name}{kind}{left}",
                done=number,
                whole=len(runs),
            )
            row = measure_program(waiting, options.duration_s, look_alike=look_alike)
            live.clear()
            rows.append(row)
            if not options.as_json:
                click.echo(row_line(row), color=colours())
    finally:
        live.clear()
        result = WaitsLabResult(
            settings=settings_since(before),
            duration_s=options.duration_s,
            tolerance=TOLERANCE,
            rows=tuple(rows),
        )
        if options.as_json:
            click.echo(document_text(result))
        else:
            click.echo("\n".join(closing_lines(result, width())), color=colours())
    return int(ExitCode.FINDING if options.gate and not result.passed else ExitCode.DONE)
