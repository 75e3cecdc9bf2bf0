"""`stallscope io`: measurements of disks and queues; the module of each verb is io_VERB."""

import click

from harness.cli.lazy_group import LazyGroup

# Verbs with their short help; a test compares it with the help of the verbs.
IO = {
    "probe": "Measure the latency of one read at a time, with O_DIRECT and through the page cache.",
    "curve": "Show how throughput and latency grow with depth, and which depth to choose.",
    "mix": "Show how reads and writes slow each other down, by rates and sizes.",
    "queue": "Show the layers between a path and its disk, and their effect on queue depth.",
    "watch": "Watch the block requests of the running system: time queued and time on the device.",
}
EXAMPLES = """\b
Examples:
  stallscope io probe /var/lib/db
  stallscope io curve /var/lib/db
  stallscope io mix /var/lib/db -o mix
  stallscope io queue /var/lib/db
  stallscope io queue /dev/nvme0n1 --interval 5
  stallscope io watch --duration 10
"""


@click.group(cls=LazyGroup, table=IO, module="harness.commands.io_{}", epilog=EXAMPLES)
def command() -> None:
    """Measure what the disk can do, and show what waits for it."""
