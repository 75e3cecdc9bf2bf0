"""Options of the commands that run the reference server and load it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from harness.cli.number_options import number_option

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PATHS = click.Choice(["kv", "query", "codec"])
SERVED_PATHS = click.Choice([*PATHS.choices, "disk"])


def path_option(default: str, *, paths: click.Choice[str] = PATHS) -> Decorator:
    """Return the option that names what a request runs through."""
    disk = "; disk keeps values in files" if "disk" in paths.choices else ""
    return click.option(
        "--path",
        type=paths,
        default=default,
        show_default=True,
        help=f"What a request runs through; codec is synthetic code{disk}.",
    )


def stages_option() -> Decorator:
    """Return the option that turns stages on and off."""
    return click.option(
        "--stages",
        type=click.Choice(["on", "off"]),
        default="on",
        show_default=True,
        help="Run each step of the path in batches.",
    )


def batch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the options of stages' batches and of the codec's code."""
    for option in (
        click.option(
            "--stage-kb",
            type=click.IntRange(1),
            metavar="KB",
            help="Code of one stage of the codec path. Default: 13.",
        ),
        click.option(
            "--footprint-kb",
            type=click.IntRange(1),
            metavar="KB",
            help="Code that the codec path runs through. Default: 416.",
        ),
        click.option(
            "--max-batch",
            type=click.IntRange(1),
            metavar="N",
            help="Calls that a stage runs at once at most.",
        ),
    ):
        command = option(command)
    return command


def pipeline_option(default: int) -> Decorator:
    """Return the option that says how many requests a connection has on their way."""
    return click.option(
        "-P",
        "--pipeline",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        help="Requests that a connection has on their way.",
    )


def connections_option() -> Decorator:
    """Return the option that says how many connections there are."""
    return click.option(
        "-c",
        "--connections",
        type=click.IntRange(1),
        default=64,
        show_default=True,
        help="Connections.",
    )


def password_file_option(text: str) -> Decorator:
    """Return the option that names the file with a server's password."""
    return click.option(
        "--password-file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help=text
    )


def run_length_option(default: float) -> Decorator:
    """Return a lab's option that says how long each of its runs measures."""
    return number_option(
        "--duration",
        "duration_s",
        least=0.2,
        most=3600,
        default=default,
        unit="S",
        text="Seconds that each run measures.",
    )
