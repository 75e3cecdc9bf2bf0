"""`stallscope io queue`: mount, device stack and request queues below a path."""

from pathlib import Path

import click

from harness.cli.machine_options import roots_options
from harness.io.verb_options import check_force, recording_options, time_option

EXAMPLES = """\b
Examples:
  stallscope io queue /var/lib/db
  stallscope io queue .
  stallscope io queue /dev/nvme0n1 --interval 5
  stallscope io queue /srv --interval 5 -o queue && stallscope report queue
  stallscope io queue / --json | jq '.devices[] | [.name, .queue.nr_requests]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("path", type=click.Path(path_type=Path))
@time_option(
    "--interval",
    minimum=0.1,
    default=None,
    text="Interval in which to measure device activity and submission stalls, in seconds.",
)
@recording_options()
@roots_options
def command(
    path: Path,
    interval: float | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    sysfs_root: Path,
    proc_root: Path,
) -> int:
    """Show the layers between a path and its disk, and their effect on queue depth.

    PATH is a file, a directory or a block device. Lists its mount, partitions, LVM, RAID,
    encryption, loop devices and disks with their settings: filesystem, scheduler, requests and
    hardware tags, merging, block sizes, write cache, requests in flight, stalls by PSI. Reads only
    /proc and /sys, and sends no request to the disk.
    """
    from harness.io.queue.options import QueueOptions  # noqa: PLC0415 - start-up stays light
    from harness.io.queue.session import run_queue  # noqa: PLC0415
    from stallscope.system_files import roots_at  # noqa: PLC0415

    check_force(output, force=force)
    options = QueueOptions(path, roots_at(sysfs_root, proc_root), interval, output, force)
    return run_queue(options, as_json=as_json)
