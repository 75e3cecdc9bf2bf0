"""`stallscope cstates explain`: costs of the sleeps in a recording."""

from pathlib import Path

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope cstates record -o idle --duration 10
  stallscope cstates explain idle
  stallscope cstates explain idle --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@json_option
def command(run: Path, as_json: bool) -> None:
    """Show the cost of each kind of sleep in a recording.

    Prints the cost per wake-up and per second by cause (timers, waits for a reply or a device),
    state and process, the highest first. RUN is a directory of `stallscope cstates record`.
    """
    from cstates.advice.sleep_costs import explain  # noqa: PLC0415 - start-up stays light
    from harness.cli.result_output import print_result  # noqa: PLC0415
    from harness.cstates.explain.result import explain_result  # noqa: PLC0415
    from harness.cstates.explain.text import explain_lines  # noqa: PLC0415
    from harness.cstates.record.analysis import idle_run  # noqa: PLC0415
    from harness.cstates.record.files import read_result  # noqa: PLC0415

    recorded = idle_run(read_result(run))
    result = explain_result(recorded, explain(recorded))
    print_result(result, explain_lines, as_json=as_json)
