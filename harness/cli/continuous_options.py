"""The options of a continuous recording: its budget, its segments and where they are sent."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--continuous",
        is_flag=True,
        help="Record all the time, in numbered recordings. -F (99) is then the largest rate, "
        "--max-size (250 MB) the size of all; the oldest ones are removed.",
    ),
    click.option(
        "--budget",
        metavar="SHARE",
        help="CPU time that --continuous may cost, as a share of one CPU. Default: 1%.",
    ),
    click.option(
        "--segment",
        metavar="TIME",
        help="Shortest length of a recording of --continuous. Default: 60s.",
    ),
    click.option(
        "--otlp",
        metavar="URL",
        help="Send each finished recording of --continuous as an OTLP profile to this http or "
        "https URL.",
    ),
)


def continuous_choices(command: Command) -> Command:
    """Add the options of a continuous recording."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
