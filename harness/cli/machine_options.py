"""Options that name another machine's files to read than this one's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def roots_options(command: Command) -> Command:
    """Return the command with --sysfs-root and --proc-root; pass both to ``roots_at``."""
    for option in (
        click.option(
            "--proc-root",
            type=click.Path(path_type=Path),
            default=Path("/proc"),
            metavar="DIR",
            help="Use this proc. Default: /proc.",
        ),
        click.option(
            "--sysfs-root",
            type=click.Path(path_type=Path),
            default=Path("/sys"),
            metavar="DIR",
            help="Use this sysfs, as of a recorded machine. Default: /sys.",
        ),
    ):
        command = option(command)
    return command
