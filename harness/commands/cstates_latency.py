"""`stallscope cstates latency`: what wake-ups take with deep states open and closed."""

import json
from typing import Any

import click

from harness.cli.experiment_options import rounds_option, seconds_option
from harness.pin.options import machine_options

EXAMPLES = """\b
Examples:
  stallscope cstates latency
  stallscope cstates latency --kind timer,futex --think-us 0,250,10000 --cpus 0,2
  stallscope cstates latency --kind tcp --processes 3 --rounds 10 --json
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--kind",
    default="timer,futex,tcp",
    show_default=True,
    metavar="KIND[,KIND]",
    help="timer, or a request and its reply over futex, pipe, unix or tcp.",
)
@click.option(
    "--think-us",
    default="1000",
    show_default=True,
    metavar="US[,US]",
    help="Sleep before each request, 0 to 10000; a timer's length.",
)
@click.option(
    "--processes",
    type=click.Choice(["2", "3"]),
    default="2",
    show_default=True,
    help="Client and server; or client, front end and back end.",
)
@click.option(
    "--cpus",
    metavar="LIST",
    help="A CPU a process, the client's first, as 2,0. Default: the first that are online.",
)
@rounds_option("Rounds; each measures all settings.")
@seconds_option(0.05, 0.5, "Length of each run.")
@machine_options
def command(kind: str, think_us: str, processes: str, as_json: bool, **values: Any) -> None:
    """Measure wake-ups with sleep states open and closed.

    Timers' wake-ups and requests to other processes, as things are; then with deeper states closed
    in turn, by a latency limit that is held for each run only; then with each state closed alone,
    as `stallscope pin` does. Rounds alternate; how often the CPUs really idled is counted. That
    nothing is to be gained is an answer.
    """
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.cstates.latency.options import wake_cpus, wake_tests  # noqa: PLC0415
    from harness.cstates.latency.session import (  # noqa: PLC0415 - start-up stays light
        LatencyRequest,
        measure,
    )
    from harness.cstates.latency.text import document, lines  # noqa: PLC0415
    from harness.pin.session import chosen_place  # noqa: PLC0415

    place = chosen_place(values, "stallscope cstates latency")
    tests = wake_tests(kind, think_us, processes=int(processes))
    chosen = wake_cpus(place.roots, values["cpus"], processes=int(processes))
    request = LatencyRequest(tests, chosen, values["rounds"], values["seconds"])
    outcome = measure(place, request)
    if as_json:
        click.echo(json.dumps(document(outcome), allow_nan=False))
    else:
        click.echo("\n".join(lines(outcome, width())))
