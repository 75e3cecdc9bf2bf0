"""`stallscope cstates advise`: suggestions from a recording of idle intervals."""

from pathlib import Path

import click

from harness.cli.json_option import json_option

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
    help="Output of `stallscope cstates latency --json` on that machine; overrides estimates.",
)
@json_option
def command(run: Path, latency: Path | None, as_json: bool) -> None:
    """Suggest changes that make wake-ups cost less.

    Prints the changes in order of gain: CPUs, gain, costs and commands; or why nothing can be
    gained. RUN is a directory of `stallscope cstates record`.
    """
    from cstates.advice.suggestions import advise  # noqa: PLC0415 - start-up stays light
    from harness.cli.result_output import print_result  # noqa: PLC0415
    from harness.cstates.advise.result import advise_result  # noqa: PLC0415
    from harness.cstates.advise.text import advise_lines  # noqa: PLC0415
    from harness.cstates.latency.result import read_evidence  # noqa: PLC0415
    from harness.cstates.record.analysis import idle_run  # noqa: PLC0415
    from harness.cstates.record.files import read_result  # noqa: PLC0415

    evidence = read_evidence(latency) if latency else ()
    result = advise_result(advise(idle_run(read_result(run)), evidence))
    print_result(result, advise_lines, as_json=as_json)
