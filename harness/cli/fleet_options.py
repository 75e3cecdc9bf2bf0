"""Options of the verbs that analyze the recordings of many hosts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def query_options(command: Command) -> Command:
    """Add the directories, the period and the scheduler."""
    for option in reversed(
        (
            click.argument(
                "directories",
                nargs=-1,
                required=True,
                type=click.Path(path_type=Path),
                metavar="DIR...",
            ),
            click.option(
                "--from",
                "begin",
                metavar="HOUR",
                help="First hour, in UTC: 2026-11-28T08, or a day. Default: all.",
            ),
            click.option(
                "--to", "end", metavar="HOUR", help="Last hour, in UTC, inclusive. Default: all."
            ),
            click.option(
                "--scheduler",
                metavar="ADDRESS",
                help="Run on a Dask cluster: tcp://HOST:8786, or local for processes of this "
                "machine. Default: in this process.",
            ),
        )
    ):
        command = option(command)
    return command
