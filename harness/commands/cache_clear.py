"""`stallscope cache clear`: removes the cached symbol and unwind tables."""

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope cache clear
  stallscope cache clear --json
"""


@click.command(epilog=EXAMPLES)
@json_option
def command(as_json: bool) -> None:
    """Remove the cached symbol and unwind tables.

    The next profile reads the binaries again.
    """
    from harness.cache.session import clear_caches  # noqa: PLC0415 - start-up stays light
    from harness.cache.text import cleared_text  # noqa: PLC0415
    from harness.cli.brief import document_text  # noqa: PLC0415

    result = clear_caches()
    click.echo(document_text(result) if as_json else cleared_text(result))
