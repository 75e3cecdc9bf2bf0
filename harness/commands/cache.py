"""`stallscope cache`: cached symbol and unwind tables; the module of each verb is cache_VERB."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; a test compares it with the help of the verbs.
CACHE = {
    "show": "Show the cached symbol and unwind tables.",
    "clear": "Remove the cached symbol and unwind tables.",
}
EXAMPLES = """\b
Examples:
  stallscope cache show
  stallscope cache show --top 50
  stallscope cache clear
"""


@click.group(cls=LazyGroup, table=CACHE, module="harness.commands.cache_{}", epilog=EXAMPLES)
def command() -> None:
    """Show or clear what is kept of binaries for later profiles."""
