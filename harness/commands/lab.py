"""`stallscope lab`: experiments on the machine itself; the module of each verb is lab_VERB."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; a test compares it with the help of the verbs.
LAB = {
    "memory": "Measure the latency of caches and memory.",
    "kernels": "Run the diagnosis on programs whose bottleneck is known.",
    "waits": "Run the diagnosis of waits on programs whose waits are known.",
    "diagnose": "Run `stallscope diagnose` on programs whose cause is known.",
    "stages": "Measure what execution stages gain on the reference server.",
    "storm": "Measure what a limited I/O queue gains a reader beside writes.",
    "scale": "Measure throughput by connections and by server threads.",
}
EXAMPLES = """\b
Examples:
  stallscope lab memory
  stallscope lab kernels --gate
  stallscope lab stages --path codec
  stallscope lab storm /var/lib/db
"""


@click.group(cls=LazyGroup, table=LAB, module="harness.commands.lab_{}", epilog=EXAMPLES)
def command() -> None:
    """Run an experiment: memory, known bottlenecks, execution stages, scaling, I/O queue."""
