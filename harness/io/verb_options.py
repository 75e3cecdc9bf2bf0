"""Options that several verbs of `stallscope io` share."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import SecondsRange, number_option
from harness.cli.option_group import Option, option_group
from stallscope.errors import UsageError


def recording_options(
    help_text: str = "Directory for a recording of the result, with a page.",
) -> Option:
    """Return -o, --force and --json; pass the first two to ``check_force``."""
    return option_group(
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


def target_options() -> Option:
    """Return the options of a target that may be written."""
    return option_group(
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


def length_options(of: str, *, duration_s: float, warmup_s: float) -> Option:
    """Return --duration and --warmup of each reading or cell."""
    return option_group(
        number_option("--duration", "duration_s", minimum=0.1, maximum=600, default=duration_s,
                      unit="S", text=f"Length of each {of}, in seconds."),
        number_option("--warmup", "warmup_s", minimum=0, maximum=600, default=warmup_s,
                      unit="S", text=f"Warm-up before each {of}, in seconds."),
    )  # fmt: skip


def block_option(text: str) -> Option:
    """Return the option of a request's size."""
    return click.option("--block", default="4K", show_default=True, metavar="SIZE", help=text)


def time_option(name: str, *, minimum: float, default: float | None, text: str) -> Option:
    """Return an option for the seconds of a measurement, at most one day."""
    return click.option(
        name,
        type=SecondsRange(minimum, 86_400),
        default=default,
        show_default=default is not None,
        metavar="S",
        help=text,
    )
