"""`stallscope cstates compare`: a command under several settings, in shuffled rounds."""

from typing import Any

import click

from harness.cli.experiment_options import rounds_option, seed_option
from harness.cli.number_options import NumberRange, SecondsRange, number_option
from harness.pin.options import machine_options
from stallscope.errors import UsageError

LOAD_OPTIONS = ("rate", "seconds", "warmup", "connections", "processes", "loop")
EXAMPLES = """\b
Examples:
  stallscope cstates compare -- ./client
  stallscope cstates compare --load --rate 500
  stallscope cstates compare --load --loop closed --connections 1,2,4,8 --processes 3 --seconds 10
  stallscope cstates compare --setting 'shallow=--states C1' --rounds 10 -- ./client
  stallscope cstates compare --json -- ./client | jq .conclusions
"""


@click.command(epilog=EXAMPLES)
@click.option("--load", is_flag=True, help="Load the reference server instead of running CMD.")
@click.option(
    "--connections",
    metavar="N[,N]",
    help="Numbers of connections of --load; each is a row of the table. Default: 4.",
)
@click.option(
    "--processes",
    type=click.Choice(["2", "3"]),
    help="Processes of --load: 2 (loader and server, the default), or 3 (with a front end).",
)
@click.option(
    "--loop",
    type=click.Choice(["open", "closed"]),
    help="Loop of --load: open (the default), or closed: each reply triggers the next request.",
)
@click.option(
    "--rate",
    type=NumberRange(1),
    metavar="R",
    help="Request rate of --load per second, in an open loop. Default: 1000.",
)
@click.option(
    "--seconds",
    type=SecondsRange(0.1, 3600),
    metavar="S",
    help="Measured length of each run of --load in seconds. Default: 1.",
)
@click.option(
    "--warmup",
    type=SecondsRange(0, 3600),
    metavar="S",
    help="Warm-up before each run of --load in seconds. Default: 0.2.",
)
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME=OPTIONS",
    help="Setting with options of stallscope pin. Default: this machine's states and governors.",
)
@click.option(
    "--cpus",
    metavar="LIST",
    help="CPUs to run on, for example 0-3,8; limits on states apply to these only.",
)
@rounds_option("Number of rounds; each round runs all settings.")
@number_option(
    "--min-effect",
    former=["--least-effect"],
    minimum=0,
    maximum=100,
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
    state entries. Several --connections give a table of before and after with a row for each. A
    difference counts if it exceeds chance, --min-effect and the control's
    difference. CMD's standard output is discarded. Settings are restored after each run.
    """
    load_values = {name: values.pop(name) for name in LOAD_OPTIONS}
    if load == bool(words):
        raise UsageError(
            "name a command to run, or --load", "for example: stallscope cstates compare -- CMD"
        )
    from cstates.comparison.candidates import find_candidates  # noqa: PLC0415 - start-up stays light
    from harness.cli.result_output import print_result  # noqa: PLC0415
    from harness.cstates.compare.options import (  # noqa: PLC0415
        CStatesCompareOptions,
        LoadOptionValues,
        cpus_of,
    )
    from harness.cstates.compare.session import measure  # noqa: PLC0415
    from harness.cstates.compare.settings import named_settings  # noqa: PLC0415
    from harness.cstates.compare.text import lines  # noqa: PLC0415
    from harness.pin.session import pin_context  # noqa: PLC0415

    context = pin_context(values, "stallscope cstates compare")
    load_options = LoadOptionValues(**load_values)
    if not load:
        load_options.check_absent()
    plan = load_options.plan(values["cpus"]) if load else None
    cpus = cpus_of(plan) if plan else values["cpus"]
    settings = values["settings"]
    chosen = (
        named_settings(context.roots, settings, cpus)
        if settings
        else find_candidates(context.roots, cpus)
    )
    min_effect = values["min_effect"] / 100
    options = CStatesCompareOptions(
        chosen, words, plan, values["rounds"], values["seed"], min_effect
    )
    result = measure(context, options)
    print_result(result, lines, as_json=as_json)
