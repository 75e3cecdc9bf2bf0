"""`stallscope cstates compare`: a command under several settings, in shuffled rounds."""

from typing import Any

import click

from harness.cli.experiment_options import rounds_option, seconds_option, seed_option
from harness.cli.number_options import number_option
from harness.pin.options import machine_options
from stallscope.errors import UsageError

EXAMPLES = """\b
Examples:
  stallscope cstates compare -- ./client
  stallscope cstates compare --load --rate 500
  stallscope cstates compare --setting 'shallow=--states C1' --rounds 10 -- ./client
  stallscope cstates compare --json -- ./client | jq .conclusions
"""


@click.command(epilog=EXAMPLES)
@click.option("--load", is_flag=True, help="Load the reference server instead of running CMD.")
@number_option(
    "--rate",
    least=1,
    default=1000,
    unit="R",
    text="Request rate of --load per second, in an open loop.",
)
@seconds_option(0.1, 1.0, "Length of each run of --load in seconds.")
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME=OPTIONS",
    help="Setting with options of stallscope pin. Default: this machine's states and governors.",
)
@click.option(
    "--cpus", metavar="LIST", help="CPUs to run on, for example 0-3,8; only these are capped."
)
@rounds_option("Number of rounds; each round runs all settings.")
@number_option(
    "--least-effect",
    least=0,
    most=100,
    default=1,
    unit="PERCENT",
    text="Minimum difference of medians in percent; smaller differences count as none.",
)
@seed_option("Random seed for the order of settings.")
@machine_options
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD...")
def command(words: tuple[str, ...], load: bool, as_json: bool, **values: Any) -> None:
    """Compare a command's run time under several settings.

    Settings are: unchanged, unchanged again as a control, each set of sleep states, each governor.
    Prints for each metric median, interval, difference and p-value (corrected by Holm), and the
    state entries. A difference counts if it exceeds chance, --least-effect and the control's
    difference. CMD's standard output is discarded. Settings are restored after each run.
    """
    if load == bool(words):
        raise UsageError(
            "name a command to run, or --load", "for example: stallscope cstates compare -- CMD"
        )
    from cstates.comparison.candidates import find_candidates  # noqa: PLC0415 - start-up stays light
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.cstates.compare.options import (  # noqa: PLC0415
        CompareOptions,
        cpus_of,
        load_plan,
    )
    from harness.cstates.compare.session import measure  # noqa: PLC0415
    from harness.cstates.compare.settings import named_settings  # noqa: PLC0415
    from harness.cstates.compare.text import lines  # noqa: PLC0415
    from harness.pin.session import pin_context  # noqa: PLC0415
    from stallscope.documents import encode  # noqa: PLC0415

    context = pin_context(values, "stallscope cstates compare")
    plan = load_plan(context.roots, values) if load else None
    cpus = cpus_of(plan) if plan else values["cpus"]
    settings = values["settings"]
    chosen = (
        named_settings(context.roots, settings, cpus)
        if settings
        else find_candidates(context.roots, cpus)
    )
    min_effect = values["least_effect"] / 100
    options = CompareOptions(chosen, words, plan, values["rounds"], values["seed"], min_effect)
    result = measure(context, options)
    if as_json:
        click.echo(encode(result))
    else:
        click.echo("\n".join(lines(result, width())))
