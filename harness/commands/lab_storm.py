"""`stallscope lab storm`: what a limit on outstanding requests gains a reader beside writes."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import NumberRange

EXAMPLES = """\b
Examples:
  stallscope lab storm /var/lib/db -o storm               (about 90 seconds)
  stallscope lab storm /var/lib/db --rounds 9 --seconds 2 --recommended 8
  stallscope lab storm /srv --limits 64,4 --shares 10:1 -o storm.svg
  stallscope lab storm /srv --server --size 256M
  stallscope lab storm /srv --server --write-share 0.3 --seconds 60 -o storm
  stallscope lab storm sim:servers=8,service=1ms --json | jq '.rows[] | [.limit, .reader_ns.p99]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@click.option("--rounds", type=click.IntRange(1, 1000), default=5, show_default=True,
              metavar="N", help="Number of rounds; each measures every setting once. Fewer than "
              "five give no verdict.")  # fmt: skip
@click.option("--seconds", "duration_s", type=NumberRange(0.05, 3600), metavar="S",
              help="Length of each measurement, in seconds. Default: 1; 3 with --server; 10 in "
              "virtual time for a simulated disk.")  # fmt: skip
@click.option("--warmup", "warmup_s", type=NumberRange(0, 600), default=0.2, show_default=True,
              metavar="S", help="Warm-up before each measurement, in seconds.")  # fmt: skip
@click.option("--rest", "rest_s", type=NumberRange(0, 600), default=0.0, show_default=True,
              metavar="S", help="Rest before each warm-up, in seconds, so that caches and rate "
              "limiters recover.")  # fmt: skip
@click.option("--recommended", type=click.IntRange(1, 4096), metavar="N",
              help="Recommended limit. Default: selected by a trial of limits.")  # fmt: skip
@click.option("--limits", default="128,32,16,8", show_default=True, metavar="LIST",
              help='Queue limits to compare; 128 and "none" are always included.')  # fmt: skip
@click.option("--shares", default="1000:100", show_default=True, metavar="R:W",
              help="Shares of the reader and the writer.")  # fmt: skip
@click.option("--depth", type=click.IntRange(1, 4096), default=256, show_default=True,
              metavar="N", help="Number of outstanding writes.")  # fmt: skip
@click.option("--read-block", default="4K", show_default=True, metavar="SIZE",
              help="Size of a read.")  # fmt: skip
@click.option("--write-block", default="128K", show_default=True, metavar="SIZE",
              help="Size of a write.")  # fmt: skip
@click.option("--server", is_flag=True,
              help="Measure the reference server's queries beside its compaction, in the directory "
              "PATH.")  # fmt: skip
@click.option("--io-properties", type=click.Path(path_type=Path), metavar="FILE",
              help="Limits of the disk, as `stallscope io curve --kind writes --io-properties` "
              "writes them; they set the cost of a request by direction and size. Default: every "
              "request costs the same.")  # fmt: skip
@click.option("--write-share", type=NumberRange(0, 1), default=0.0, show_default=True, metavar="W",
              help="Share of writes among the requests of the server's clients, 0 to 1. Writes are "
              "durable when they are acknowledged.")  # fmt: skip
@click.option("--size", default="1G", show_default=True, metavar="SIZE",
              help="Size of the temporary file.")  # fmt: skip
@click.option("--span", metavar="SIZE",
              help="Size of the region that requests are spread over. Default: all.")  # fmt: skip
@click.option("--destroy", metavar="DEVICE",
              help="Block device whose data is lost; it must be the same as PATH.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), multiple=True, metavar="PATH",
              help="Directory for the recording and its page, or a .svg or .png file for a "
              "picture; may be repeated.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an existing recording.")
@json_option
def command(path: str, as_json: bool, **values: Any) -> int:
    """Measure what a limited I/O queue gains a reader beside writes.

    Sends one read at a time beside a storm of large writes through stallscope's I/O queue: without
    a limit and with several limits, first come first served and with shares, in rounds of
    alternating order. Prints the reader's latency, the writer's bandwidth, where requests waited,
    and a verdict on the recommended limit against 128, which can be "no gain here". Writes go only
    to a temporary file without a name, or with --destroy to a device. Ctrl-C keeps finished runs.
    """
    from harness.labs.storm.options import storm_options  # noqa: PLC0415 - start-up stays light
    from harness.labs.storm.session import run_storm  # noqa: PLC0415

    return run_storm(storm_options(path, values), as_json=as_json)
