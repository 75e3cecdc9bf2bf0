"""`stallscope lab`: experiments on the machine itself, each verb a module beside this one."""

import click

from harness.cli.lazy_group import LazyGroup

# Every verb with its short help; its module is lab_VERB. A test holds this to the verbs' own help.
LAB = {
    "memory": "Measure the latency of caches and memory.",
    "kernels": "Run the diagnosis on programs whose bottleneck is known.",
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
    """Run an experiment: memory, known bottlenecks, stages off and on, scale, I/O queue."""
