"""Options of experiments: rounds, lengths of runs, random numbers."""

from collections.abc import Callable
from typing import Any

import click

from harness.cli.number_options import SecondsRange, count_option, number_option
from harness.cli.option_group import Option


def rounds_option(text: str, default: int = 6) -> Option:
    """Return the option for the number of rounds; ``text`` is its help."""
    return count_option("--rounds", minimum=1, maximum=1000, default=default, text=text)


def seconds_option(minimum: float, default: float, text: str) -> Option:
    """Return the option for the length of each run; ``text`` is its help."""
    return number_option(
        "--seconds", minimum=minimum, maximum=3600, default=default, unit="S", text=text
    )


def seed_option(text: str, default: int = 1) -> Option:
    """Return the option for the seed of random numbers; ``text`` is its help."""
    return count_option("--seed", default=default, text=text)


order_seed_option = count_option(
    "--seed", text="Seed of the order of the runs. Default: a random one, which is printed."
)


def run_time_limit_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for the time limit of each run of a command."""
    return click.option(
        "--timeout",
        "timeout_s",
        type=SecondsRange(0.001),
        metavar="S",
        help="Time limit of a run, in seconds; then it is ended with its children. Default: none.",
    )(function)
