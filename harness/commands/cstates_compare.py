"""`stallscope cstates compare`: a command under several settings, in alternating rounds."""

import json
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
    "--rate", least=1, default=1000, unit="R", text="Requests a second of --load, in an open loop."
)
@seconds_option(0.1, 1.0, "Length of each run of --load.")
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME=OPTIONS",
    help="Compare this: options of stallscope pin. Default: this machine's states and governors.",
)
@click.option("--cpus", metavar="LIST", help="Run on these CPUs, as 0-3,8; cap only these.")
@rounds_option("Rounds; each runs all settings.")
@number_option(
    "--least-effect",
    least=0,
    most=100,
    default=1,
    unit="PERCENT",
    text="A difference of medians that is less counts as none.",
)
@seed_option("Random seed of the order of settings.")
@machine_options
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD...")
def command(words: tuple[str, ...], load: bool, as_json: bool, **values: Any) -> None:
    """Run a command under several settings in turn, and say which gains.

    Settings are things as they are, the same again as a control, each set of sleep states, and the
    governors there are. For each metric: median, interval, difference, p-value, corrected by Holm;
    and how often sleep states were entered. A difference counts that is more than chance, than
    --least-effect and than what the control differs. CMD's standard output is discarded. All is put
    back after each run.
    """
    if load == bool(words):
        raise UsageError("name a command to run, or --load", "stallscope cstates compare -- CMD")
    from cstates.comparison.candidates import candidates  # noqa: PLC0415 - start-up stays light
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.cstates.compare.options import cpus_of, load_plan  # noqa: PLC0415
    from harness.cstates.compare.session import CompareRequest, measure  # noqa: PLC0415
    from harness.cstates.compare.settings import own_settings  # noqa: PLC0415
    from harness.cstates.compare.text import document, lines  # noqa: PLC0415
    from harness.pin.session import chosen_place  # noqa: PLC0415

    place = chosen_place(values, "stallscope cstates compare")
    plan = load_plan(place.roots, values) if load else None
    cpus = cpus_of(plan) if plan else values["cpus"]
    settings = values["settings"]
    chosen = (
        own_settings(place.roots, settings, cpus) if settings else candidates(place.roots, cpus)
    )
    least_effect = values["least_effect"] / 100
    request = CompareRequest(chosen, words, plan, values["rounds"], values["seed"], least_effect)
    outcome = measure(place, request)
    if as_json:
        click.echo(json.dumps(document(outcome), allow_nan=False))
    else:
        click.echo("\n".join(lines(outcome, width())))
