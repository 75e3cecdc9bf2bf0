"""`stallscope cstates advise`: of a recording of idle intervals."""

import json
from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope cstates record -o idle --duration 10
  stallscope cstates advise idle
  stallscope cstates latency --json > latency.json
  stallscope cstates advise idle --latency latency.json
  stallscope cstates advise idle --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--latency",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="What `stallscope cstates latency --json` measured there: it goes before estimates.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: Path, latency: Path | None, as_json: bool) -> None:
    """Say what to change so that wake-ups cost less, if anything.

    What to change on which CPUs, what it buys and costs, with the commands, in order of gain.
    That nothing is to be gained is an answer. RUN is a directory of `stallscope cstates record`.
    """
    from cstates.advice.evidence import evidence_of  # noqa: PLC0415
    from cstates.advice.suggestions import advise  # noqa: PLC0415 - start-up stays light
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.cstates.explain.text import advise_document, advise_lines  # noqa: PLC0415
    from harness.cstates.record.report import read_run  # noqa: PLC0415
    from stallscope.json_fields import read_fields  # noqa: PLC0415

    _, recorded = read_run(run)
    found = advise(recorded, evidence_of(read_fields(latency)) if latency else ())
    if as_json:
        click.echo(json.dumps(advise_document(found), allow_nan=False))
    else:
        click.echo("\n".join(advise_lines(found, width())))
