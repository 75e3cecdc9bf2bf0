"""`stallscope bench gate`: fails if a command became slower."""

from pathlib import Path
from typing import Any

import click

from harness.cli.experiment_options import order_seed_option, run_time_limit_option
from harness.cli.json_option import json_option
from harness.cli.number_options import count_option

EXAMPLES = """\b
Examples:
  stallscope bench gate --base './old/prog' --head './new/prog' --fail-if slower:2%
  stallscope bench gate --base './old x' --head './new x' --fail-if cpu:1% --blocks 40
  stallscope bench gate --base 'a-{build}/p' --head 'b-{build}/p' --builds 12 --fail-if slower:1%
  stallscope bench gate --file bench.toml --base before --head after --fail-if memory:5% --strict
  stallscope bench gate --base ./old --head ./new --fail-if slower:2% -o gate.html
  stallscope bench gate --base true --head true --fail-if slower:5% --json | jq .verdict
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--base", required=True, metavar="CMD", help="Command before the change, or a name in --file."
)
@click.option(
    "--head", required=True, metavar="CMD", help="Command after the change, or a name in --file."
)
@click.option(
    "--fail-if",
    required=True,
    metavar="RULE",
    help="slower:P% (wall time), cpu:P% or memory:P%: fail if head needs at least P % more.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A bench.toml with the commands.",
)
@count_option(
    "--blocks",
    minimum=6,
    maximum=10_000,
    default=20,
    text="Blocks of each of the two stages; a block runs base twice and head once.",
)
@count_option(
    "--builds",
    minimum=1,
    maximum=1000,
    default=1,
    text="Builds of each side; {build} in the commands is replaced by 1 to N.",
)
@count_option(
    "--warmup", maximum=10_000, default=1, text="Runs of each command before the first block."
)
@order_seed_option
@run_time_limit_option
@click.option("--strict", is_flag=True, help="Return exit code 3 if the gate is undecided.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the page (.html) or the result (.json); may be repeated.",
)
@json_option
def command(**values: Any) -> int:
    """Fail if a command became slower, at a nominal rate of 2.5 % of false alarms.

    Runs base, base again and head in random order, in blocks. Exit code 1: head is slower by the
    threshold or more, and the lower bound of the change is above zero. Exit code 0: no regression,
    or undecided. To find a slowdown of 2 % reliably, use slower:1%: an estimate of a true 2 % is
    below 2 % in half of the cases.
    """
    from harness.bench.gate.options import (  # noqa: PLC0415 - start-up stays light
        SUFFIXES,
        gate_options,
    )
    from harness.cli.outputs import check_files  # noqa: PLC0415

    check_files(values["outputs"], SUFFIXES)
    from harness.bench.gate.session import run_gate  # noqa: PLC0415

    return run_gate(gate_options(values))
