"""The options of commands that name functions: debug files, and the place of sources."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.option_group import option_group
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from harness.cli.symbol_places import SymbolPlaces

_FROM_ENVIRONMENT = "DEBUGINFOD_URLS"

SOURCE_MAP_OPTION = click.option(
    "--source-map",
    multiple=True,
    metavar="FROM=TO",
    help="Replace the prefix FROM of source paths by TO. May be repeated; the longest applies.",
)
# For commands that print functions without lines.
debug_file_options = option_group(
    click.option(
        "--debug-directory",
        "debug_directories",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        multiple=True,
        metavar="DIR",
        help="Search DIR for separate debug files, laid out as /usr/lib/debug. May be repeated.",
    ),
    click.option(
        "--debuginfod",
        is_flag=False,
        flag_value=_FROM_ENVIRONMENT,
        default="",
        metavar="[URL]",
        help="Download debug files of objects with at least 1 % of the samples from this server, "
        "or from those of DEBUGINFOD_URLS. Default: off.",
    ),
)
# For commands that print source lines.
symbol_options = option_group(SOURCE_MAP_OPTION, debug_file_options)


def symbol_places(
    source_map: Sequence[str], debug_directories: Sequence[Path], debuginfod: str = ""
) -> "SymbolPlaces":
    """Return where symbols and sources are. Raises UsageError for a map that is not FROM=TO."""
    from harness.cli.symbol_places import SymbolPlaces  # noqa: PLC0415 - start-up stays light

    pairs = []
    for text in source_map:
        old, equals, new = text.partition("=")
        if not old or not equals:
            raise UsageError(
                f"--source-map {text!r}: expected FROM=TO", "for example --source-map /build=."
            )
        pairs.append((old, new))
    directories = tuple(directory.absolute() for directory in debug_directories)
    if debuginfod == _FROM_ENVIRONMENT:
        debuginfod = os.environ.get("DEBUGINFOD_URLS", "")
        if not debuginfod.strip():
            raise UsageError(
                "--debuginfod without a URL needs DEBUGINFOD_URLS",
                "for example --debuginfod https://debuginfod.debian.net",
            )
    return SymbolPlaces(tuple(pairs), directories, debuginfod)
