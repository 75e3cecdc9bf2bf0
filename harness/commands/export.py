"""`stallscope export`: recordings for other systems; the module of each verb is export_VERB."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; a test compares it with the help of the verbs.
EXPORT = {
    "metrics": "Write the metrics of a recording as Prometheus text or OTLP.",
    "perf": "Write the samples of a recording in perf's pipe format.",
}
EXAMPLES = """\b
Examples:
  stallscope export metrics slow-query
  stallscope export metrics slow-query --format otlp -o slow-query.pb
  stallscope export perf slow-query -o perf.data
"""


@click.group(cls=LazyGroup, table=EXPORT, module="harness.commands.export_{}", epilog=EXAMPLES)
def command() -> None:
    """Write metrics or samples of recordings for other systems."""
