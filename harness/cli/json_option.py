"""The options that every command with a result has: --json, and --brief for scripts and agents."""

import click

from harness.cli.option_group import Option, option_group

BRIEF = "stallscope.brief"  # key of the context's meta: whether documents are brief
JSON_HELP = "Print one JSON document instead of text."


def json_options(json_help: str) -> Option:
    """Return --json, passed as ``as_json``, with this help, and --brief, which sets it too."""
    json_flag = click.option("--json", "as_json", is_flag=True, callback=_as_json, help=json_help)
    brief_flag = click.option(
        "--brief",
        is_flag=True,
        is_eager=True,  # --json depends on it
        expose_value=False,
        callback=_brief,
        help="Print one JSON document of at most 8 KiB that names the command for the rest.",
    )
    return option_group(json_flag, brief_flag)


def _brief(context: click.Context, _parameter: click.Parameter, requested: bool) -> bool:
    if requested:
        context.meta[BRIEF] = True
    return requested


def _as_json(context: click.Context, _parameter: click.Parameter, requested: bool) -> bool:
    return requested or bool(context.meta.get(BRIEF))


json_option = json_options(JSON_HELP)
