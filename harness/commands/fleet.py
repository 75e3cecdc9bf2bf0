"""`stallscope fleet`: many hosts; the module of each verb is fleet_VERB."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; a test compares it with the help of the verbs.
FLEET = {
    "record": "Record on many hosts over ssh, and fetch the recordings.",
    "top": "Show the hottest functions of many recordings.",
}
EXAMPLES = """\b
Examples:
  stallscope fleet record --hosts hosts.txt -o fleet -- -a -F 49 --duration 30
  stallscope fleet top fleet
  stallscope fleet top fleet --json
"""


@click.group(cls=LazyGroup, table=FLEET, module="harness.commands.fleet_{}", epilog=EXAMPLES)
def command() -> None:
    """Record on many hosts, and show what they have in common."""
