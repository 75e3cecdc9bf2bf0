"""`stallscope io`: what the disk and its queue do, each verb a module beside this one."""

import click

from harness.cli.lazy_group import LazyGroup

# Every verb with its short help; its module is io_VERB. A test holds this to the verbs' help.
IO = {
    "probe": "Measure one read at a time, past the page cache and through it.",
    "curve": "Say how throughput and latency grow with depth, and which depth to choose.",
    "mix": "Say what reads and writes take from each other, by rates and sizes.",
    "queue": "Show what stands between a path and its disk, and what it means for depth.",
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
