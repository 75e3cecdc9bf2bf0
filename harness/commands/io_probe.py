"""`stallscope io probe`: the latency of one read at a time."""

from typing import Any

import click

from harness.cli.renamed_option import RenamedOption
from harness.io.verb_options import block_option, check_force, recording_options, time_option

EXAMPLES = """\b
Examples:
  stallscope io probe .                        (the disk of this directory, with a scratch file)
  stallscope io probe /var/lib/db/table --duration 10
  stallscope io probe /dev/nvme0n1 --count 10000 --buckets linear
  stallscope io probe /srv -o disk && stallscope report disk
  stallscope io probe sim:servers=8,service=1ms,exponential
  stallscope io probe /srv --json | jq '.latency_ns["p99.9"]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@time_option("--duration", minimum=0.1, default=5.0, text="Length of the measurement, in seconds.")
@click.option(
    "--count",
    type=click.IntRange(1),
    metavar="N",
    help="Maximum number of requests. --duration limits the time as well.",
)
@click.option(
    "--read-path",
    cls=RenamedOption,
    former=["--ways"],
    type=click.Choice(["both", "direct", "cached"]),
    default="both",
    show_default=True,
    help="Reads with O_DIRECT, reads through the page cache, or both.",
)
@click.option("--cached", is_flag=True, help="Same as --read-path cached, for any filesystem.")
@block_option("Size of a read, such as 4K or 1M.")
@click.option("--sequential", is_flag=True, help="Read sequentially. Default: at random offsets.")
@click.option("--span", metavar="SIZE", help="Size of the region to read. Default: all.")
@click.option("--offset", metavar="SIZE", help="Start of the region to read. Default: 0.")
@click.option(
    "--file-size",
    default="256M",
    show_default=True,
    metavar="SIZE",
    help="Size of the scratch file that is written if PATH is a directory; removed at the end.",
)
@click.option(
    "--buckets",
    type=click.Choice(["log", "linear"]),
    default="log",
    show_default=True,
    help="Scale of the histogram's rows.",
)
@click.option("--no-real-time", is_flag=True, help="Do not use a real-time scheduling class.")
@recording_options("Directory for a recording, with HdrHistogram logs and a page.")
def command(path: str, cached: bool, no_real_time: bool, as_json: bool, **values: Any) -> int:
    """Measure the latency of one read at a time, with O_DIRECT and through the page cache.

    PATH is a file, a block device, a directory (its disk, with a scratch file without a name) or
    sim:servers=N,service=TIME[,exponential]. The measurement only reads. Prints percentiles, a
    histogram and the parts of the latency. Numbers are marked if the self check finds own
    delays or a violation of Little's law. Ctrl-C keeps the results so far.
    """
    from harness.cli.quantity_options import size_of  # noqa: PLC0415 - start-up stays light
    from harness.io.probe.histogram_rows import LatencyScale  # noqa: PLC0415
    from harness.io.probe.options import ProbeOptions, selected_read_path  # noqa: PLC0415
    from harness.io.probe.session import run_probe  # noqa: PLC0415

    check_force(values["output"], force=values["force"])
    span, offset = values["span"], values["offset"]
    options = ProbeOptions(
        path=path,
        read_path=selected_read_path(values["read_path"], cached=cached),
        duration_s=values["duration"],
        count=values["count"],
        block_bytes=size_of("--block", values["block"]),
        sequential=values["sequential"],
        span_bytes=None if span is None else size_of("--span", span),
        offset_bytes=0 if offset is None else size_of("--offset", offset),
        file_bytes=size_of("--file-size", values["file_size"]),
        real_time=not no_real_time,
        scale=LatencyScale(values["buckets"]),
        output=values["output"],
        force=values["force"],
    )
    return run_probe(options, as_json=as_json)
