"""`stallscope lab diagnose`: the diagnosis of programs whose cause is known."""

from pathlib import Path

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope lab diagnose
  stallscope lab diagnose --only lock-hog --only cgroup-throttling
  stallscope lab diagnose --runs 10 --json > known.json
  stallscope lab diagnose --gate                    (exit 1 if an answer is wrong)
  stallscope lab diagnose --output known            (keep the recordings)
  stallscope lab diagnose --recorded known          (diagnose them again)
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="NAME",
    help="Entry or cause to run; may be repeated. Default: all.",
)
@click.option(
    "--runs",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Number of runs of each program.",
)
@click.option(
    "--seconds",
    "duration_s",
    type=float,
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Duration of each recording, in seconds.",
)
@click.option("--gate", is_flag=True, help="Exit with 1 if an answer is wrong or a program failed.")
@click.option(
    "-o",
    "--output",
    "keep",
    type=click.Path(path_type=Path),
    metavar="DIRECTORY",
    help="Directory in which recordings are kept, some 20 MB per entry. Default: none.",
)
@click.option(
    "--recorded",
    type=click.Path(path_type=Path),
    metavar="DIRECTORY",
    help="Diagnose the recordings of this directory again instead of running programs.",
)
@json_option
def command(
    names: tuple[str, ...],
    runs: int,
    duration_s: float,
    gate: bool,
    keep: Path | None,
    recorded: Path | None,
    as_json: bool,
) -> int:
    """Run `stallscope diagnose` on programs whose cause is known.

    Each program runs beside a louder, harmless symptom; its look-alike must not be blamed, and its
    cured variant shows the real gain. Replayed causes go through the same rules and are no proof on
    hardware. The first cause is compared with the expected one, and the confidence with the truth.
    Runs that other load queued for a CPU are "disturbed" and counted apart. All entries take some
    minutes.
    """
    from harness.labs.diagnose.options import DiagnoseLabOptions  # noqa: PLC0415 - light start-up
    from harness.labs.diagnose.session import run_diagnose_lab  # noqa: PLC0415

    options = DiagnoseLabOptions(names, runs, duration_s, gate, as_json, keep, recorded)
    return run_diagnose_lab(options)
