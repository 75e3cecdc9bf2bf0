"""The options of commands that record waits, or show such a recording again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.cli.recording_options import process_options

Command = TypeVar("Command", bound=Callable[..., Any])


def wait_recording_options(max_cost: str) -> Callable[[Command], Command]:
    """Return what adds the options for a target, its recording, and the recording's limits.

    ``max_cost``: what follows in the help of --max-cost.
    """
    options = (
        process_options("[RUN | -- CMD...]"),
        click.option(
            "-o",
            "--output",
            type=click.Path(path_type=Path),
            metavar="PATH",
            help="Directory for the recording, by default stallscope-<target>-<time>; of a shown "
            "RUN, the page, by default RUN/report.html.",
        ),
        click.option("--force", is_flag=True, help="Replace an existing recording."),
        click.option(
            "--max-cost",
            type=click.FloatRange(0.001, 1),
            metavar="SHARE",
            help="Share of the target's CPU time that recording may cost. Above it, switches are "
            f"recorded in random windows only{max_cost}",
        ),
        click.option(
            "--max-size",
            "max_size_mib",
            type=click.IntRange(1, 1 << 30),
            metavar="MIB",
            help="End the recording at this size, and keep it. Default: 2048.",
        ),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
