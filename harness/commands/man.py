"""`stallscope man`: manual pages, made of the help texts."""

import os
import time
from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope man profile | man -l -
  stallscope man cstates show | man -l -
  stallscope man --directory ~/.local/share/man/man1
"""


@click.command(epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write every page into this directory, as stallscope-COMMAND.1.",
)
def command(words: tuple[str, ...], directory: Path | None) -> None:
    """Print a manual page, or write all of them to a directory.

    The pages are roff, made of the help texts of this version. Their date is today, or that of
    SOURCE_DATE_EPOCH.
    """
    from harness.cli.command_line import group  # noqa: PLC0415 - it imports the commands
    from harness.cli.man_pages import Edition, man_pages  # noqa: PLC0415 - start-up stays light
    from harness.cli.outputs import output_error, write_whole  # noqa: PLC0415
    from stallscope import __version__  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        date = time.strftime("%Y-%m-%d", time.gmtime(int(epoch) if epoch else None))
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f"SOURCE_DATE_EPOCH is not a time in seconds: {epoch!r}", "set or unset it"
        ) from error
    pages = man_pages(group, Edition(version=__version__, date=date))
    if directory is None:
        name = "-".join(("stallscope", *words))
        page = next((page for page in pages if page.name == name), None)
        if page is None:
            raise UsageError(
                f"there is no command {' '.join(words)}", "stallscope --help lists the commands"
            )
        click.echo(page.roff, nl=False)
        return
    if words:
        raise UsageError("--directory writes every page", "leave the command out")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise output_error(directory, error) from error
    for page in pages:
        write_whole(directory / page.file_name, [page.roff])
