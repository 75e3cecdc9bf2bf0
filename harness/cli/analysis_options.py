"""The options of commands that summarise a CPU profile: rows, source lines, inlined functions."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from harness.cli.symbol_options import SYMBOL_OPTIONS

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--top",
        type=click.IntRange(1),
        default=15,
        show_default=True,
        help="Number of rows to print.",
    ),
    click.option(
        "--lines",
        type=click.IntRange(0),
        default=0,
        is_flag=False,
        flag_value=100,
        metavar="[N]",
        help="Show source lines and inlined functions of the N hottest addresses. Default: 0; "
        "100 if N is left out.",
    ),
    *SYMBOL_OPTIONS,
    click.option(
        "--inlined",
        is_flag=True,
        help="Show inlined functions as separate frames (needs debug information).",
    ),
    click.option(
        "--group",
        type=click.Choice(["module"]),
        help="Show shares by module too: package of a language, script, native object.",
    ),
)


def analysis_options(command: Command) -> Command:
    """Add the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
