"""The options of commands that record waits, or show such a recording again."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.number_options import ShareRange
from harness.cli.option_group import Option, option_group
from harness.cli.recording_options import choice, default_output, process_options
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions


def wait_recording_options(max_cost: str) -> Option:
    """Return what adds the options for a target, its recording, and the recording's limits.

    ``max_cost``: what follows in the help of --max-cost.
    """
    return option_group(
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
            type=ShareRange(0.001, 1),
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


def wait_collector_options(
    values: dict[str, Any], command_name: str, *, max_cost: float | None = None
) -> "CollectorOptions":
    """Return the options of a recording of waits; ``max_cost``: the default of --max-cost.

    Raises UsageError unless exactly one target is named, if -o names a page, and if a single word
    names neither a recording nor a command.
    """
    from stallscope.collector import CollectorOptions  # noqa: PLC0415 - start-up stays light

    output = values["output"]
    if output is not None and output.suffix == ".html":
        raise UsageError(
            f"-o names the directory of the recording, and {output} is the name of a page",
            f"the page is DIR/report.html; for example: -o {output.with_suffix('')}",
        )
    if len(values["words"]) == 1 and not values["pids"]:
        _check_command(values["words"][0], command_name)
    chosen = choice({**values, "system_wide": False, "cpus": "", "cgroup": ""}, command_name)
    return CollectorOptions(
        output=output or default_output(chosen),
        pids=chosen.pids,
        command=chosen.command,
        duration_s=chosen.duration_s,
        force=values["force"],
        max_size_mib=values["max_size_mib"],
        max_cost=values["max_cost"] or max_cost,
        waits=True,
    )


def _check_command(word: str, command_name: str) -> None:
    """Raise UsageError if a word, which is not a recording, cannot be a command either."""
    import shutil  # noqa: PLC0415 - start-up stays light

    if shutil.which(word) is not None:
        return
    message = f"there is no recording and no command {word}"
    if Path(word).exists():
        message = f"{word} is neither a recording nor a command"
    raise UsageError(
        message,
        f"stallscope {command_name} RUN reads a directory that it made, -- CMD starts a program",
    )


def recorded_page(recording: Path, values: dict[str, Any], *recording_only: str) -> Path | None:
    """Return the page that -o names for a recording that is shown again; None: the default one.

    Raises UsageError for options that only a new recording has. ``recording_only``: further ones.
    """
    for name in ("duration", "force", "max_cost", "max_size_mib", *recording_only):
        if values.get(name):
            flag = name.removesuffix("_mib").replace("_", "-")
            raise UsageError(
                f"--{flag} is for recording, and {recording} is shown", "leave the option out"
            )
    page: Path | None = values["output"]
    return page / "report.html" if page is not None and page.is_dir() else page
