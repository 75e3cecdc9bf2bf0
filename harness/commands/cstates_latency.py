"""`stallscope cstates latency`: wake-up latency with sleep states open and closed."""

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
    help="Wake-ups to measure: timer, or request and reply over futex, pipe, unix or tcp.",
)
@click.option(
    "--think-us",
    default="1000",
    show_default=True,
    metavar="US[,US]",
    help="Sleep before each request in microseconds, 0 to 10000; for --kind timer, the length of "
    "the timer.",
)
@click.option(
    "--processes",
    type=click.Choice(["2", "3"]),
    default="2",
    show_default=True,
    help="Processes of a request. 2: client and server; 3: client, front end and back end.",
)
@click.option(
    "--cpus",
    metavar="LIST",
    help="CPUs, one for each process, the client first: 2,0. Default: the first online CPUs.",
)
@rounds_option("Number of rounds; each round measures all settings.")
@seconds_option(0.05, 0.5, "Length of each run in seconds.")
@machine_options
def command(kind: str, think_us: str, processes: str, as_json: bool, **values: Any) -> None:
    """Measure wake-ups with sleep states open and closed.

    Measures timers and requests to other processes under these settings: unchanged; with the
    deepest states closed by a latency limit, held during each run only; with each state closed
    individually, as by `stallscope pin`. Rounds alternate the order, and state entries are counted.
    """
    from harness.cli.result_output import print_result  # noqa: PLC0415
    from harness.cstates.latency.options import (  # noqa: PLC0415 - start-up stays light
        LatencyOptions,
        wake_cpus,
        wake_tests,
    )
    from harness.cstates.latency.session import measure  # noqa: PLC0415
    from harness.cstates.latency.text import lines  # noqa: PLC0415
    from harness.pin.session import pin_context  # noqa: PLC0415

    context = pin_context(values, "stallscope cstates latency")
    tests = wake_tests(kind, think_us, processes=int(processes))
    cpus = wake_cpus(context.roots, values["cpus"], processes=int(processes))
    options = LatencyOptions(tests, cpus, values["rounds"], values["seconds"])
    result = measure(context, options)
    print_result(result, lines, as_json=as_json)
