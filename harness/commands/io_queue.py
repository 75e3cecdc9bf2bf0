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
    least=0.1,
    default=None,
    text="Watch for so many seconds what the devices do, and whether submitting waits.",
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
    """Show what stands between a path and its disk, and what it means for depth.

    PATH is a file, a directory or a block device. From its mount through partitions, LVM, RAID,
    encryption and loop devices down to the disks: filesystem, scheduler, requests and hardware
    tags, merging, block sizes, write cache, requests in flight, stalls by PSI. Nothing is written
    to the disk but a recording that is asked for, and nothing is read but what the kernel tells.
    """
    from harness.io.queue.session import QueueRequest, run_queue  # noqa: PLC0415 - start-up
    from stallscope.errors import UsageError  # noqa: PLC0415
    from stallscope.system_files import roots_at  # noqa: PLC0415

    roots = roots_at(sysfs_root, proc_root)
    if interval and not roots.is_live:
        raise UsageError(
            "a recorded machine's counters do not move, so --interval would count nothing",
            "leave out --interval",
        )
    check_force(output, force=force)
    return run_queue(QueueRequest(path, roots, interval, output, force), as_json=as_json)
