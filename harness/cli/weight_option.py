"""The option that selects what a sample of a profile weighs."""

from collections.abc import Callable
from typing import Any

import click

from topdown.waits.weight import Weight

_HELP = (
    "Weight of the samples: CPU time, wall time (threads that run beside each other share it, and "
    "waits count while no thread runs), or time off the CPU by blocking stack."
)


def weight_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the option --weight; its value is a text of Weight."""
    return click.option(
        "--weight",
        type=click.Choice([weight.value for weight in Weight]),
        default=Weight.CPU.value,
        show_default=True,
        help=_HELP,
    )(command)
