"""`stallscope lab kernels`: the diagnosis of programs whose bottleneck is known."""

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope lab kernels
  stallscope lab kernels --kernel divide-chain --kernel page-faults
  stallscope lab kernels --gate                      (exit 1 if an answer is wrong)
  stallscope lab kernels --json | jq '.rows[] | select(.verdict == "wrong")'
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--kernel",
    "names",
    multiple=True,
    metavar="NAME",
    help="Program to run, from stallscope-kernels --list; may be repeated. Default: all.",
)
@click.option("--gate", is_flag=True, help="Exit with 1 if an answer is wrong or a program failed.")
@json_option
def command(names: tuple[str, ...], gate: bool, as_json: bool) -> int:
    """Run the diagnosis on programs whose bottleneck is known.

    Prints the expected answer of each program beside the diagnosed one and its source: hardware
    counters if this machine has them, otherwise the model; kernel counters for faults, system calls
    and waiting. All programs take several minutes.
    """
    from harness.labs.kernels.session import run_kernels  # noqa: PLC0415 - start-up stays light

    return run_kernels(names, gate=gate, as_json=as_json)
