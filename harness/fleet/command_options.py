"""Options of the verbs that analyze the recordings of many hosts."""

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.option_group import Option, option_group
from harness.cli.symbol_options import debug_file_options, symbol_places

if TYPE_CHECKING:
    from harness.fleet.query import QueryOptions

MAX_ROWS = 100_000
# What the help of every verb says after its own text.
NOTE = (
    "DIR is a directory of `stallscope fleet record`, or one with a directory of recordings per "
    "host. A part of the data set that is damaged, or whose worker is lost, is named; the result "
    "has the others. Needs the extra fleet: pip install 'stallscope[fleet]'."
)


def query_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add directories, period and scheduler, passed as ``options``; the help ends with NOTE."""

    @functools.wraps(command)
    def with_options(
        *,
        directories: tuple[Path, ...],
        scheduler: str | None,
        begin: str | None,
        end: str | None,
        **values: object,
    ) -> None:
        from harness.fleet.query import QueryOptions  # noqa: PLC0415 - start-up stays light

        command(options=QueryOptions(directories, scheduler, begin, end), **values)

    with_options.__doc__ = f"{command.__doc__ or ''}\n\n    {NOTE}"
    return _query_options(with_options)


def with_places(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for debug files to a command with query options; they are in ``options``."""

    @functools.wraps(command)
    def with_debug_files(
        *,
        options: "QueryOptions",
        debug_directories: tuple[Path, ...],
        debuginfod: str,
        **values: object,
    ) -> None:
        places = symbol_places((), debug_directories, debuginfod)
        command(options=replace(options, places=places), **values)

    return debug_file_options(with_debug_files)


def top_option(rows: str, *, default: int = 20, least: int = 1) -> Option:
    """Return the option of the number of rows; ``rows`` names them."""
    return click.option(
        "--top",
        type=click.IntRange(least, MAX_ROWS),
        default=default,
        show_default=True,
        metavar="N",
        help=f"Number of {rows}.",
    )


_query_options = option_group(
    click.argument(
        "directories",
        nargs=-1,
        required=True,
        type=click.Path(path_type=Path),
        metavar="DIR...",
    ),
    click.option(
        "--from",
        "begin",
        metavar="HOUR",
        help="First hour, in UTC: 2026-11-28T08, or a day. Default: all.",
    ),
    click.option("--to", "end", metavar="HOUR", help="Last hour, in UTC, inclusive. Default: all."),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Run on a Dask cluster: tcp://HOST:8786, or local for processes of this "
        "machine. Default: in this process.",
    ),
)
