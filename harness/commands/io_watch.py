"""`stallscope io watch`: latency of the running system's block requests, passively."""

from pathlib import Path

import click

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
@click.option(
    "--duration",
    type=click.FloatRange(0.01, 86_400),
    metavar="S",
    help="End after so many seconds. Default: at Ctrl-C.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a recording with a page there.",
)
@click.option("--force", is_flag=True, help="Replace a recording that is there already.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
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
    from harness.io.watch_session import WatchOptions, run_watch  # noqa: PLC0415 - start-up
    from stallscope.errors import UsageError  # noqa: PLC0415

    if duration is not None and duration != duration:  # noqa: PLR0124 - NaN differs from itself
        raise UsageError("--duration is no time", "name seconds, as --duration 2")
    options = WatchOptions(devices, pids, duration, output, force)
    return run_watch(options, as_json=as_json)
