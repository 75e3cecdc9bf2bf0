"""`stallscope fleet`: recordings of many hosts; the module of a verb is fleet_VERB."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; a test compares it with the help of the verbs.
FLEET: dict[str, str] = {
    "record": "Record many hosts over ssh, and fetch the recordings.",
    "top": "Show the hottest functions of many hosts.",
    "waits": "Show where the threads of many hosts spend wall time.",
    "latency": "Show latency percentiles over many hosts.",
    "slots": "Show shares of pipeline slots of many hosts.",
    "diff": "Compare the functions of two sets of many hosts.",
}
EXAMPLES = """\b
Examples:
  stallscope fleet record --hosts hosts.txt -o monday -- -a --duration 10
  stallscope fleet top monday
  stallscope fleet top monday --json
  stallscope fleet waits monday
  stallscope fleet diff monday tuesday
"""


@click.group(cls=LazyGroup, table=FLEET, module="harness.commands.fleet_{}", epilog=EXAMPLES)
def command() -> None:
    """Record many hosts, and analyze their recordings together."""
