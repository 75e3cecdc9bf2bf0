"""`stallscope io curve`: throughput and latency by requests in flight, and the depth to choose."""

from pathlib import Path
from typing import Any

import click

from harness.io.verb_options import (
    block_option,
    length_options,
    recording_options,
    target_options,
)

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
@block_option("Size of a request.")
@click.option("--pattern", type=click.Choice(["random", "sequential"]), default="random",
              show_default=True, help="Where requests go.")  # fmt: skip
@click.option("--most-depth", type=click.IntRange(2, 4096), default=256, show_default=True,
              metavar="N", help="Never more requests in flight.")  # fmt: skip
@click.option("--slo-p99", metavar="TIME",
              help="Name the deepest depth that keeps this p99, as 500us or 2ms.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N",
              help="Readings of each depth, shuffled.")  # fmt: skip
@length_options("reading", duration_s=1.0, warmup_s=0.2)
@target_options()
@click.option("--io-properties", "properties", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the disk's limits as seastar reads them.")  # fmt: skip
@recording_options("Record into this directory, with a page and io-properties.yaml.")
def command(path: str, as_json: bool, **values: Any) -> int:
    """Say how throughput and latency grow with depth, and which depth to choose.

    PATH is a file (which is only read), a directory (where a file of our own is written, without a
    name), a block device, or a disk in virtual time: sim:servers=8,service=1ms. Depths 1, 2, 4 ...
    are read several times in shuffled order, then those around the knee. Readings that fail their
    own checks are masked. Ctrl-C keeps what was measured.
    """
    from harness.io.curve.options import curve_options  # noqa: PLC0415 - start-up stays light
    from harness.io.curve.session import run_curve  # noqa: PLC0415

    return run_curve(curve_options(path, values), as_json=as_json)
