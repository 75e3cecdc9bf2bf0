"""The options that every command with a result has: --json, and --brief for scripts and agents."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

BRIEF = "stallscope.brief"  # key of the context's meta: whether documents are brief
JSON_HELP = "Print one JSON document instead of text."


def json_option(command: Command) -> Command:
    """Add --json, passed as ``as_json``, and --brief, which sets it too."""
    return json_options(JSON_HELP)(command)


def json_options(json_help: str) -> Callable[[Command], Command]:
    """Return what adds the options with another help of --json."""
    json_flag = click.option("--json", "as_json", is_flag=True, callback=_as_json, help=json_help)
    brief_flag = click.option(
        "--brief",
        is_flag=True,
        is_eager=True,  # --json depends on it
        expose_value=False,
        callback=_brief,
        help="Print one JSON document of at most 8 KiB that names the command for the rest.",
    )

    def add(command: Command) -> Command:
        return json_flag(brief_flag(command))

    return add


def _brief(context: click.Context, _parameter: click.Parameter, requested: bool) -> bool:
    if requested:
        context.meta[BRIEF] = True
    return requested


def _as_json(context: click.Context, _parameter: click.Parameter, requested: bool) -> bool:
    return requested or bool(context.meta.get(BRIEF))
