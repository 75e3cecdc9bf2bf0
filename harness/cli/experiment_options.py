"""Options of experiments: rounds, lengths of runs, random numbers."""

from collections.abc import Callable
from typing import Any

import click

from harness.cli.number_options import number_option

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def rounds_option(text: str, default: int = 6) -> Decorator:
    """Return the option for the number of rounds; ``text`` is its help."""
    return click.option(
        "--rounds",
        type=click.IntRange(1, 1000),
        default=default,
        show_default=True,
        metavar="N",
        help=text,
    )


def seconds_option(least: float, default: float, text: str) -> Decorator:
    """Return the option for the length of each run; ``text`` is its help."""
    return number_option("--seconds", least=least, most=3600, default=default, unit="S", text=text)


def seed_option(text: str, default: int = 1) -> Decorator:
    """Return the option for the seed of random numbers; ``text`` is its help."""
    return click.option(
        "--seed",
        type=click.IntRange(0),
        default=default,
        show_default=True,
        metavar="N",
        help=text,
    )
