"""Options of commands that run the reference server or put it under load."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from harness.cli.number_options import number_option
from harness.cli.option_group import Option

PATHS = click.Choice(["kv", "query", "codec"])
SERVED_PATHS = click.Choice([*PATHS.choices, "disk"])


def path_option(default: str, *, paths: click.Choice[str] = PATHS) -> Option:
    """Return the option for the code path of requests."""
    disk = "; disk keeps values in files" if "disk" in paths.choices else ""
    return click.option(
        "--path",
        type=paths,
        default=default,
        show_default=True,
        help=f"Code path of requests; codec is synthetic code{disk}.",
    )


def stages_option() -> Option:
    """Return the option that turns execution stages on or off."""
    return click.option(
        "--stages",
        type=click.Choice(["on", "off"]),
        default="on",
        show_default=True,
        help="Run each step of the path in batches of requests.",
    )


def batch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for batches of stages and for the code of the codec path."""
    for option in (
        click.option(
            "--stage-kb",
            type=click.IntRange(1),
            metavar="KB",
            help="Code size of one stage of the codec path, in KiB. Default: 13.",
        ),
        click.option(
            "--footprint-kb",
            type=click.IntRange(1),
            metavar="KB",
            help="Code size of the whole codec path, in KiB. Default: 416.",
        ),
        click.option(
            "--max-batch",
            type=click.IntRange(1),
            metavar="N",
            help="Largest batch of calls that a stage runs.",
        ),
    ):
        command = option(command)
    return command


def pipeline_option(default: int) -> Option:
    """Return the option for the number of outstanding requests per connection."""
    return click.option(
        "-P",
        "--pipeline",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        metavar="N",
        help="Outstanding requests per connection.",
    )


def connections_option() -> Option:
    """Return the option for the number of connections."""
    return click.option(
        "-c",
        "--connections",
        type=click.IntRange(1),
        default=64,
        show_default=True,
        metavar="N",
        help="Number of connections.",
    )


def password_file_option(text: str) -> Option:
    """Return the option for the file that holds the password of a server."""
    return click.option(
        "--password-file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help=text
    )


def run_length_option(default: float) -> Option:
    """Return the option for the measured duration of each run of a lab."""
    return number_option(
        "--duration",
        "duration_s",
        minimum=0.2,
        maximum=3600,
        default=default,
        unit="S",
        text="Duration of each run, in seconds.",
    )
