"""Options for reading a recorded machine instead of this one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
Command = TypeVar("Command", bound=Callable[..., Any])


def roots_options(command: Command) -> Command:
    """Add --sysfs-root and --proc-root; pass both to ``roots_at``."""
    for option in (
        click.option(
            "--proc-root",
            type=_FOLDER,
            default=Path("/proc"),
            metavar="DIR",
            help="Directory to read as /proc, for example of a recorded machine. Default: /proc.",
        ),
        click.option(
            "--sysfs-root",
            type=_FOLDER,
            default=Path("/sys"),
            metavar="DIR",
            help="Directory to read as /sys, for example of a recorded machine. Default: /sys.",
        ),
    ):
        command = option(command)
    return command
