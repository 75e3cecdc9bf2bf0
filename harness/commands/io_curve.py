"""`stallscope io curve`: throughput and latency by requests in flight, and the depth to choose."""

from pathlib import Path
from typing import Any

import click

EXAMPLES = """\b
Examples:
  stallscope io curve /var/lib/db                      (about two minutes)
  stallscope io curve /var/lib/db/data --slo-p99 2ms
  stallscope io curve /srv --kind writes -o curve      (into a file of its own, gone at the end)
  stallscope io curve sim:servers=8,service=1ms --json | jq .recommended
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@click.option("--kind", type=click.Choice(["reads", "writes"]), default="reads", show_default=True,
              help="The requests of the curve.")  # fmt: skip
@click.option("--block", default="4K", show_default=True, metavar="SIZE",
              help="Size of a request.")  # fmt: skip
@click.option("--pattern", type=click.Choice(["random", "sequential"]), default="random",
              show_default=True, help="Where requests go.")  # fmt: skip
@click.option("--most-depth", type=click.IntRange(2, 4096), default=256, show_default=True,
              metavar="N", help="Never more requests in flight.")  # fmt: skip
@click.option("--slo-p99", metavar="TIME",
              help="Name the deepest depth that keeps this p99, as 500us or 2ms.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N",
              help="Readings of each depth, shuffled.")  # fmt: skip
@click.option("--duration", "duration_s", type=click.FloatRange(0.1, 600), default=1.0,
              show_default=True, metavar="S", help="Seconds of each reading.")  # fmt: skip
@click.option("--warmup", "warmup_s", type=click.FloatRange(0, 600), default=0.2,
              show_default=True, metavar="S", help="Seconds before each.")  # fmt: skip
@click.option("--size", default="1G", show_default=True, metavar="SIZE",
              help="Of the file of our own, where one is made.")  # fmt: skip
@click.option("--span", metavar="SIZE", help="Spread requests over so much. Default: all.")
@click.option("--destroy", metavar="DEVICE",
              help="Write to this block device, named once more: all on it is lost.")  # fmt: skip
@click.option("--io-properties", "properties", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the disk's limits as seastar reads them.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR",
              help="Record into this directory, with a page and io-properties.yaml.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a recording that is there already.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(path: str, as_json: bool, **values: Any) -> int:
    """Say how throughput and latency grow with depth, and which depth to choose.

    PATH is a file (which is only read), a directory (where a file of our own is written, without a
    name), a block device, or a disk in virtual time: sim:servers=8,service=1ms. Depths 1, 2, 4 ...
    are read several times in shuffled order, then those around the knee. Readings that fail their
    own checks are masked. Ctrl-C keeps what was measured.
    """
    from harness.io.curve_options import curve_request  # noqa: PLC0415 - start-up stays light
    from harness.io.curve_session import run_curve  # noqa: PLC0415

    return run_curve(curve_request(path, values), as_json=as_json)
