"""`stallscope bench history`: benchmark results over time."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope bench history results --add bench.txt --label 1a2b3c4
  stallscope bench history results
  stallscope bench history results --github --junit report.xml --fail-if-worse
  stallscope bench history results --json | jq '.series[] | select(.is_worse) | .changes[-1].label'
"""


@click.command(epilog=EXAMPLES)
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--add", "added", metavar="FILE",
              help="Add the medians of this file of results; - is standard input.")  # fmt: skip
@click.option("--label", default="", metavar="TEXT",
              help="Label of the added run, such as a commit. Default: the time.")  # fmt: skip
@click.option("--github", is_flag=True, help="Print GitHub workflow commands instead of text.")
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Also write a JUnit report to this file.")  # fmt: skip
@click.option("--fail-if-worse", is_flag=True,
              help="Exit with code 1 if the last change of a series is worse.")  # fmt: skip
@json_option
def command(directory: Path, as_json: bool, **values: Any) -> int:
    """Keep benchmark results and find the runs in which they changed.

    DIR keeps a line for each run with its host and medians. Each benchmark and unit is a series
    for each kind of host. A change point is a shift of its level that is significant against the
    scatter of up to 30 runs on both sides; the first run after it is named. The same runs always
    give the same answer. Damaged lines are named and the rest is used; the exit code is then 5.
    """
    from harness.bench.history.options import HistoryOptions  # noqa: PLC0415
    from harness.bench.history.session import run_history  # noqa: PLC0415 - start-up stays light

    return int(run_history(HistoryOptions(directory=directory, **values), as_json=as_json))
