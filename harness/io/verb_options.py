"""Options that several verbs of `stallscope io` share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import NumberRange, number_option
from stallscope.errors import UsageError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def recording_options(
    help_text: str = "Directory for a recording of the result, with a page.",
) -> Decorator:
    """Return -o, --force and --json; pass the first two to ``check_force``."""
    return _combined(
        click.option(
            "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help=help_text
        ),
        click.option("--force", is_flag=True, help="Replace an existing recording."),
        json_option,
    )


def check_force(output: Path | None, *, force: bool) -> None:
    """Raise UsageError for --force without an output directory."""
    if force and output is None:
        raise UsageError("--force needs a recording to replace", "add -o DIR")


def target_options() -> Decorator:
    """Return the options of a target that may be written."""
    return _combined(
        click.option(
            "--size",
            default="1G",
            show_default=True,
            metavar="SIZE",
            help="Size of the scratch file, if one is used.",
        ),
        click.option(
            "--span",
            metavar="SIZE",
            help="Size of the region that requests are spread over. Default: the whole target.",
        ),
        click.option(
            "--destroy",
            metavar="DEVICE",
            help="Block device to overwrite, named a second time; its content is lost.",
        ),
    )


def length_options(of: str, *, duration_s: float, warmup_s: float) -> Decorator:
    """Return --duration and --warmup of each reading or cell."""
    return _combined(
        number_option("--duration", "duration_s", minimum=0.1, maximum=600, default=duration_s,
                      unit="S", text=f"Length of each {of}, in seconds."),
        number_option("--warmup", "warmup_s", minimum=0, maximum=600, default=warmup_s,
                      unit="S", text=f"Warm-up before each {of}, in seconds."),
    )  # fmt: skip


def block_option(text: str) -> Decorator:
    """Return the option of a request's size."""
    return click.option("--block", default="4K", show_default=True, metavar="SIZE", help=text)


def time_option(name: str, *, minimum: float, default: float | None, text: str) -> Decorator:
    """Return an option for the seconds of a measurement, at most one day."""
    return click.option(
        name,
        type=NumberRange(minimum, 86_400),
        default=default,
        show_default=default is not None,
        metavar="S",
        help=text,
    )


def _combined(*options: Decorator) -> Decorator:
    """Return one decorator for several options; the help lists them in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
