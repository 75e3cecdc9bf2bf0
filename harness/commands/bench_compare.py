"""`stallscope bench compare`: benchmark results side by side."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import NumberRange
from harness.cli.page_option import page_option
from stallscope.errors import UsageError

EXAMPLES = """\b
Examples:
  stallscope bench compare old.txt new.txt
  stallscope bench compare run-a run-b
  stallscope bench compare before=old.txt after=new.txt -o comparison.html
  stallscope bench compare old.txt new.txt --filter '.unit:ns/op -/size:64' --fail-if-worse
  stallscope bench compare results.txt --col /impl --row .name,/size@num
  stallscope bench compare --style benchstat old.txt new.txt
  stallscope bench compare --json old.txt new.txt | jq '.rows[] | select(.verdict == "worse")'
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="[LABEL=]FILE|RECORDING...")
@click.option("--filter", default="*", metavar="EXPR", help="Use only matching results.")
@click.option("--table", default=".config", show_default=True, metavar="KEYS",
              help="Keys whose values make separate tables.")  # fmt: skip
@click.option("--row", default=".fullname", show_default=True, metavar="KEYS",
              help="Keys whose values make rows.")  # fmt: skip
@click.option("--col", default=".file", show_default=True, metavar="KEYS",
              help="Keys whose values make columns; the first column is the base.")  # fmt: skip
@click.option("--ignore", default="", metavar="KEYS",
              help="Keys that may differ within a sample.")  # fmt: skip
@click.option("--alpha", type=NumberRange(0, 1), default=0.05, show_default=True, metavar="P",
              help="Significance level; by default of all rows together.")  # fmt: skip
@click.option("--confidence", type=NumberRange(0, 1), default=0.95, show_default=True, metavar="P",
              help="Confidence level of intervals.")  # fmt: skip
@click.option("--style", type=click.Choice(["stallscope", "benchstat", "2017"]),
              default="stallscope", show_default=True, help="Style of the tables.")  # fmt: skip
@click.option("--format", "file_format", type=click.Choice(["text", "csv"]), default="text",
              show_default=True, help="Format of the tables.")  # fmt: skip
@click.option("--fail-if-worse", is_flag=True,
              help="Exit with code 1 if a verdict is worse.")  # fmt: skip
@page_option
@json_option
def command(files: tuple[str, ...], as_json: bool, **values: Any) -> int:
    """Compare benchmark results in the Go format.

    Shows medians with order-statistic intervals, and a verdict for each row from the exact U test,
    corrected by Holm over all rows; with too few values it shows "need N" instead. Rows are
    compared only if their configuration lines are equal. Of a RECORDING by `bench run`, bench.txt
    is read; FILE may be - for standard input. Files and lines that cannot be read are named; the
    rest is compared, and the exit code is 2 for a file, 5 for a line.
    """
    from harness.bench.compare.options import BenchCompareOptions  # noqa: PLC0415
    from harness.bench.compare.session import run_compare  # noqa: PLC0415
    from stallscope.benchmark_text.grid import GridOptions  # noqa: PLC0415 - start-up stays light

    page: Path | None = values["output"]
    style, file_format = values["style"], values["file_format"]
    if style != "stallscope" and (as_json or page):
        raise UsageError(
            f"--style {style} has no JSON and no page", "leave out --style, --json or -o"
        )
    grid = GridOptions(
        filter=values["filter"],
        table=values["table"],
        row=values["row"],
        col=values["col"],
        ignore=values["ignore"],
        keep_unscaled=style == "benchstat",
    )
    options = BenchCompareOptions(
        files=files,
        grid=grid,
        alpha=values["alpha"],
        confidence=values["confidence"],
        style=style,
        file_format=file_format,
        page=page,
        fail_if_worse=values["fail_if_worse"],
    )
    return int(run_compare(options, as_json=as_json))
