"""`stallscope io probe`: the latency of one read at a time."""

from typing import Any

import click

from harness.io.verb_options import block_option, check_force, recording_options, time_option

EXAMPLES = """\b
Examples:
  stallscope io probe .                        (the disk of this directory, by a file of its own)
  stallscope io probe /var/lib/db/table --duration 10
  stallscope io probe /dev/nvme0n1 --count 10000 --buckets linear
  stallscope io probe /srv -o disk && stallscope report disk
  stallscope io probe sim:servers=8,service=1ms,exponential
  stallscope io probe /srv --json | jq '.latency_ns["p99.9"]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@time_option("--duration", least=0.1, default=5.0, text="Seconds that are measured.")
@click.option(
    "--count", type=click.IntRange(1), metavar="N", help="End after so many, if that is before."
)
@click.option(
    "--ways",
    type=click.Choice(["both", "direct", "cached"]),
    default="both",
    show_default=True,
    help="Past the page cache, through it, or both.",
)
@click.option("--cached", is_flag=True, help="The same as --ways cached: any filesystem will do.")
@block_option("Size of a read, as 4K or 1M.")
@click.option("--sequential", is_flag=True, help="One after the other. Default: random places.")
@click.option("--span", metavar="SIZE", help="Read in so much of it only. Default: all.")
@click.option("--offset", metavar="SIZE", help="Where that begins. Default: at the beginning.")
@click.option(
    "--file-size",
    default="256M",
    show_default=True,
    metavar="SIZE",
    help="Of the file that is written where PATH is a directory; it is gone at the end.",
)
@click.option(
    "--buckets",
    type=click.Choice(["log", "linear"]),
    default="log",
    show_default=True,
    help="How the histogram's rows are spaced.",
)
@click.option("--no-real-time", is_flag=True, help="Do not ask for a real-time class.")
@recording_options("Record into this directory, with HdrHistogram logs and a page.")
def command(path: str, cached: bool, no_real_time: bool, as_json: bool, **values: Any) -> int:
    """Measure one read at a time, past the page cache and through it.

    PATH is a file, a block device, a directory (its disk, by a file of its own) or
    sim:servers=N,service=TIME[,exponential]. Only reads; a directory's file is written before and
    has no name. Tells percentiles, a histogram and where the time went, and checks itself: where
    its own delays or Little's law say so, the numbers are marked. Ctrl-C keeps what was measured.
    """
    from harness.io.curve.options import size_of  # noqa: PLC0415
    from harness.io.probe.buckets import Scale  # noqa: PLC0415 - start-up stays light
    from harness.io.probe.options import ProbeRequest, Ways  # noqa: PLC0415
    from harness.io.probe.session import run_probe  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    if cached and values["ways"] == "direct":
        raise UsageError("--cached and --ways direct exclude each other", "keep one of them")
    check_force(values["output"], force=values["force"])
    span, offset = values["span"], values["offset"]
    request = ProbeRequest(
        path=path,
        ways=Ways.CACHED if cached else Ways(values["ways"]),
        duration_s=values["duration"],
        count=values["count"],
        block_bytes=size_of("--block", values["block"]),
        sequential=values["sequential"],
        span_bytes=None if span is None else size_of("--span", span),
        offset_bytes=0 if offset is None else size_of("--offset", offset),
        file_bytes=size_of("--file-size", values["file_size"]),
        real_time=not no_real_time,
        scale=Scale(values["buckets"]),
        output=values["output"],
        force=values["force"],
    )
    return run_probe(request, as_json=as_json)
