"""Options that several verbs of `stallscope io` have, each written once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from harness.cli.number_options import Number, number_option
from stallscope.errors import UsageError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def recording_options(help_text: str = "Record into this directory, with a page.") -> Decorator:
    """Return -o, --force and --json; pass the first two to ``check_force``."""
    return _all(
        click.option(
            "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help=help_text
        ),
        click.option("--force", is_flag=True, help="Replace a recording that is there already."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
    )


def check_force(output: Path | None, *, force: bool) -> None:
    """Raise UsageError where a recording is to be replaced, and none is asked for."""
    if force and output is None:
        raise UsageError("--force replaces a recording, and none is asked for", "add -o DIR")


def target_options() -> Decorator:
    """Return the options of what is measured where requests may write."""
    return _all(
        click.option(
            "--size",
            default="1G",
            show_default=True,
            metavar="SIZE",
            help="Of the file of our own, where one is made.",
        ),
        click.option("--span", metavar="SIZE", help="Spread requests over so much. Default: all."),
        click.option(
            "--destroy",
            metavar="DEVICE",
            help="Write to this block device, named once more: all on it is lost.",
        ),
    )


def length_options(of: str, *, duration_s: float, warmup_s: float) -> Decorator:
    """Return --duration and --warmup of each of many runs."""
    return _all(
        number_option("--duration", "duration_s", least=0.1, most=600, default=duration_s,
                      unit="S", text=f"Seconds of each {of}."),
        number_option("--warmup", "warmup_s", least=0, most=600, default=warmup_s,
                      unit="S", text="Seconds before each."),
    )  # fmt: skip


def block_option(text: str) -> Decorator:
    """Return the option of a request's size."""
    return click.option("--block", default="4K", show_default=True, metavar="SIZE", help=text)


def time_option(name: str, *, least: float, default: float | None, text: str) -> Decorator:
    """Return an option of one measurement's seconds, a day at most."""
    return click.option(
        name,
        type=Number(least, 86_400),
        default=default,
        show_default=default is not None,
        metavar="S",
        help=text,
    )


def _all(*options: Decorator) -> Decorator:
    """Return one decorator of several, which stand in their order in the help."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
