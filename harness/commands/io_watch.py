"""`stallscope io watch`: latency of the running system's block requests, passively."""

from pathlib import Path

import click

from harness.io.verb_options import check_force, recording_options, time_option

EXAMPLES = """\b
Examples:
  stallscope io watch --duration 10
  stallscope io watch -d /dev/nvme0n1 -p "$(pidof postgres | tr ' ' '\\n' | head -1)"
  stallscope io watch -d . --duration 60 -o slow-disk
  stallscope io watch --duration 5 --json | jq '.rows[] | [.device, .direction, .device_ns.p99]'
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "-d",
    "--device",
    "devices",
    multiple=True,
    metavar="DEV",
    help="Disk to watch, by name, node or a path on it; may be repeated. Default: all disks.",
)
@click.option(
    "-p",
    "--pid",
    "pids",
    multiple=True,
    type=click.IntRange(1, 2**22),
    metavar="PID",
    help="Process whose requests count; may be repeated. Default: all processes.",
)
@time_option(
    "--duration", minimum=0.01, default=None, text="Time limit in seconds. Default: until Ctrl-C."
)
@recording_options("Directory for a recording, with an HdrHistogram log and a page.")
def command(
    devices: tuple[str, ...],
    pids: tuple[int, ...],
    duration: float | None,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Watch the block requests of the running system: time queued and time on the device.

    Shows them by device and direction, by process and by size. Uses the kernel's block tracepoints
    in a dedicated trace instance, which needs root, and sends no request to any disk. A request
    belongs to the process that queued it; delayed writeback belongs to a kernel worker.
    """
    from harness.io.watch.options import WatchOptions  # noqa: PLC0415 - start-up stays light
    from harness.io.watch.session import run_watch  # noqa: PLC0415

    check_force(output, force=force)
    return run_watch(WatchOptions(devices, pids, duration, output, force), as_json=as_json)
