"""`stallscope cstates explain`: of a recording of idle intervals."""

import json
from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope cstates record -o idle --duration 10
  stallscope cstates explain idle
  stallscope cstates explain idle --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: Path, as_json: bool) -> None:
    """Say which sleeps of a recording cost what.

    Which sleeps hurt: timers, waits for a reply or a device, by state and by process, and what a
    wake-up from them cost, and all in a second. RUN is a directory of `stallscope cstates record`.
    """
    from cstates.advice.sleep_costs import explain  # noqa: PLC0415 - start-up stays light
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.cstates.explain.text import explain_document, explain_lines  # noqa: PLC0415
    from harness.cstates.record.report import read_run  # noqa: PLC0415

    _, recorded = read_run(run)
    found = explain(recorded)
    if as_json:
        click.echo(json.dumps(explain_document(recorded, found), allow_nan=False))
    else:
        click.echo("\n".join(explain_lines(recorded, found, width())))
