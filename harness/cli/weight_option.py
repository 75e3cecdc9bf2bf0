"""The option that selects what a sample of a profile weighs."""

from collections.abc import Callable
from typing import Any

import click

from topdown.waits.weight import Weight

_HELP = (
    "Weight of the samples: CPU time, wall time (threads that run beside each other share it, and "
    "waits count while no thread runs), or time off the CPU by blocking stack. Default: cpu."
)


def weight_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the option --weight: a text of Weight, None if absent."""
    return click.option(
        "--weight",
        type=click.Choice([weight.value for weight in Weight]),
        help=_HELP,
    )(command)
