"""`stallscope cache show`: the cached symbol and unwind tables."""

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope cache show
  stallscope cache show --top 50
  stallscope cache show --json | jq '.caches[].size_bytes'
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--top",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of entries to print per cache, the most recently used first.",
)
@json_option
def command(top: int, as_json: bool) -> None:
    """Show the cached symbol and unwind tables.

    Tables are kept for binaries of root and of this user on this system's root directory. Each
    cache has a size limit; the least recently used entries are removed.
    """
    from harness.cache.session import show_caches  # noqa: PLC0415 - start-up stays light
    from harness.cache.text import contents_text  # noqa: PLC0415
    from harness.cli.brief import document_text  # noqa: PLC0415

    result = show_caches()
    click.echo(document_text(result) if as_json else contents_text(result, top=top))
