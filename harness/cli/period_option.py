"""The option that limits a profile to a period."""

from collections.abc import Callable
from typing import Any

import click


def period_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the option --period: a text such as "12.5-17.5", None if absent."""
    return click.option(
        "--period",
        metavar="FROM-TO",
        help="Show this period only, in seconds since the first sample: 12.5-17.5.",
    )(command)
