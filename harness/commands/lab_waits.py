"""`stallscope lab waits`: the diagnosis of programs whose waits are known."""

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope lab waits
  stallscope lab waits --program lock-hog --program idle-sleeper
  stallscope lab waits --duration 10 --gate          (exit 1 if an answer is wrong)
  stallscope lab waits --json | jq '.rows[] | select(.cause_verdict == "wrong")'
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--program",
    "names",
    multiple=True,
    metavar="NAME",
    help="Program to run, from stallscope-kernels --list; may be repeated. Default: all.",
)
@click.option(
    "--duration",
    "duration_s",
    type=float,
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Duration of each program, in seconds.",
)
@click.option(
    "--look-alikes/--no-look-alikes",
    default=True,
    help="Run the look-alike of each program too. Default: yes.",
)
@click.option("--gate", is_flag=True, help="Exit with 1 if an answer is wrong or a program failed.")
@json_option
def command(
    names: tuple[str, ...], duration_s: float, look_alikes: bool, gate: bool, as_json: bool
) -> int:
    """Run the diagnosis of waits on programs whose waits are known.

    Prints the expected first cause of each program beside the first cause of `stallscope waits`,
    and compares the share of each state with the program's own account. The cause of a program
    must not come first for its look-alike. All programs take some minutes.
    """
    from harness.labs.waits.options import WaitsLabOptions  # noqa: PLC0415 - start-up stays light
    from harness.labs.waits.session import run_waits_lab  # noqa: PLC0415

    return run_waits_lab(WaitsLabOptions(names, duration_s, look_alikes, gate, as_json))
