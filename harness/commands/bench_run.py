"""`stallscope bench run`: measures commands in random order."""

from pathlib import Path
from typing import Any

import click

from harness.cli.experiment_options import order_seed_option, run_time_limit_option
from harness.cli.json_option import json_option
from harness.cli.number_options import count_option

EXAMPLES = """\b
Examples:
  stallscope bench run -- ./work --size 1000
  stallscope bench run -n 30 --warmup 3 -o before -- ./work
  stallscope bench run --command './work a' --command './work b'
  stallscope bench run --until-stable --pin bench -- ./work
  stallscope bench run --file bench.toml --only Kv-get
  stallscope bench run --file bench.toml --quick
  stallscope bench run --json -- ./work | jq '.commands[] | [.name, .wall_ns.median]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD...")
@click.option(
    "--command",
    "commands",
    multiple=True,
    metavar="CMD",
    help="A further command, split like a shell's words; may be repeated.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A bench.toml with commands, servers, clients and data sets.",
)
@click.option(
    "--only", multiple=True, metavar="NAME", help="Benchmark of the file to run; may be repeated."
)
@click.option(
    "--quick",
    is_flag=True,
    help="Apply the table [quick] of the file: fewer runs, smaller inputs.",
)
@count_option(
    "-n",
    "--runs",
    minimum=1,
    maximum=1_000_000,
    text="Runs of each command. Default: as the file says, or 10.",
)
@count_option(
    "--warmup",
    maximum=1_000_000,
    text="Runs of each command before the measurement. Default: as the file says, or 1.",
)
@click.option(
    "--until-stable",
    is_flag=True,
    help="Continue until the 95 % interval of each median is within 1 % of it, at most 200 runs.",
)
@click.option(
    "--pin",
    type=click.Choice(["bench"]),
    help="Pin frequency, sleep states and more during the runs; see stallscope pin --profile.",
)
@order_seed_option
@run_time_limit_option
@click.option("--ignore-failure", is_flag=True, help="Leave failed runs out instead of stopping.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory of the recording. Default: stallscope-bench-DATE-TIME.",
)
@click.option("--force", is_flag=True, help="Replace an existing recording of benchmark runs.")
@json_option
def command(pin: str | None, **values: Any) -> int:
    """Measure commands in random order: time, memory, faults, switches, counters.

    Runs all commands in rounds, each round in a random order, and prints medians with intervals.
    Writes a recording with bench.txt (Go benchmark format) and a page. Benchmark lines that a
    command prints are copied to bench.txt. Nothing that a command starts is left behind. Ctrl-C
    keeps the finished runs.
    """
    if pin is not None:
        from harness.bench.run.pinned import run_pinned_again  # noqa: PLC0415 - start-up

        return run_pinned_again()
    from harness.bench.run.options import bench_run_options  # noqa: PLC0415 - start-up stays light
    from harness.bench.run.session import run_bench  # noqa: PLC0415

    return run_bench(bench_run_options(values))
