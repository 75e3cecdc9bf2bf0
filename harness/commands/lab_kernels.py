"""`stallscope lab kernels`: runs the diagnosis on programs whose bottleneck is known."""

import json

import click

EXAMPLES = """\b
Examples:
  stallscope lab kernels
  stallscope lab kernels --kernel divide-chain --kernel page-faults
  stallscope lab kernels --gate                      (exit 1 where an answer is wrong)
  stallscope lab kernels --json | jq '.rows[] | select(.verdict == "wrong")'
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--kernel",
    "names",
    multiple=True,
    metavar="NAME",
    help="Run this one only, one of stallscope-kernels --list; may be given again.",
)
@click.option(
    "--gate", is_flag=True, help="Exit with 1 where an answer is wrong or a program failed."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(names: tuple[str, ...], gate: bool, as_json: bool) -> int:
    """Run the diagnosis on programs whose bottleneck is known.

    Each program's expected answer stands beside what was found, and by what: hardware counters
    where this machine has them, else the modelled source; the kernel's counters for faults, system
    calls and waiting. All of them take some minutes.
    """
    from harness.cli.terminal import LiveLine, colours, width  # noqa: PLC0415
    from harness.labs.kernels.known_kernels import known_kernels  # noqa: PLC0415
    from harness.labs.kernels.session import Row, Verdict, rows  # noqa: PLC0415 - start-up stays light
    from harness.labs.kernels.sources import available_sources  # noqa: PLC0415
    from harness.labs.kernels.text import document, heading, line, notes  # noqa: PLC0415
    from harness.recordings.settings_text import (  # noqa: PLC0415
        settings_lines,
        settings_now,
        settings_since,
    )
    from stallscope.errors import ExitCode  # noqa: PLC0415

    kernels = known_kernels(names)
    before = settings_now()
    live = LiveLine()
    done: list[Row] = []
    if not as_json:
        click.echo(heading())
    try:
        for row in rows(
            kernels,
            available_sources(),
            lambda kernel: live.show(f"{len(done) + 1} of {len(kernels)}: {kernel.name}"),
        ):
            live.clear()
            done.append(row)
            if not as_json:
                click.echo(line(row), color=colours())
    finally:  # what is done is printed after Ctrl-C as well
        live.clear()
        settings = settings_since(before)
        if as_json:
            click.echo(json.dumps(document(done, settings)))
        else:
            told = [*notes(done, width()), *settings_lines(settings, width())]
            click.echo("\n".join(told), color=colours())
    wrong = any(row.verdict in (Verdict.WRONG, Verdict.FAILED) for row in done)
    return int(ExitCode.FINDING if gate and wrong else ExitCode.DONE)
