"""Options for reading a recorded machine instead of this one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def roots_options(command: Command) -> Command:
    """Add --sysfs-root and --proc-root; pass both to ``roots_at``."""
    for option in (
        click.option(
            "--proc-root",
            type=click.Path(path_type=Path),
            default=Path("/proc"),
            metavar="DIR",
            help="Directory to read as /proc, for example of a recorded machine. Default: /proc.",
        ),
        click.option(
            "--sysfs-root",
            type=click.Path(path_type=Path),
            default=Path("/sys"),
            metavar="DIR",
            help="Directory to read as /sys, for example of a recorded machine. Default: /sys.",
        ),
    ):
        command = option(command)
    return command
