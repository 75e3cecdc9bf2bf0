"""Options of experiments that alternate settings in rounds."""

from collections.abc import Callable
from typing import Any

import click

from harness.number_options import Number

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def rounds_option(text: str, default: int = 6) -> Decorator:
    """Return the option that says how many rounds there are; the text says what each one does."""
    return click.option(
        "--rounds",
        type=click.IntRange(1, 1000),
        default=default,
        show_default=True,
        metavar="N",
        help=text,
    )


def seconds_option(least: float, default: float, text: str) -> Decorator:
    """Return the option that says how long each run is."""
    return click.option(
        "--seconds",
        type=Number(least, 3600),
        default=default,
        show_default=True,
        metavar="S",
        help=text,
    )
