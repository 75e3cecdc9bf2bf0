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
    help="Watch this disk only: its name, node, or a path on it. May be given more than once.",
)
@click.option(
    "-p",
    "--pid",
    "pids",
    multiple=True,
    type=click.IntRange(1, 2**22),
    metavar="PID",
    help="Count this process's requests only. May be given more than once.",
)
@time_option(
    "--duration", least=0.01, default=None, text="End after so many seconds. Default: at Ctrl-C."
)
@recording_options("Record into this directory, with an HdrHistogram log and a page.")
def command(
    devices: tuple[str, ...],
    pids: tuple[int, ...],
    duration: float | None,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Watch the block requests of the running system: time queued and time on the device.

    By device and direction, by process and by size, from the kernel's block tracepoints in an
    instance of our own, which takes root. Nothing is sent to any disk. A process is who put a
    request into the queue: pages that are written back later are their kernel worker's.
    """
    from harness.io.watch.session import WatchOptions, run_watch  # noqa: PLC0415 - start-up

    check_force(output, force=force)
    options = WatchOptions(devices, pids, duration, output, force)
    return run_watch(options, as_json=as_json)
