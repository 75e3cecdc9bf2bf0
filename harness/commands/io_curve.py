"""`stallscope io curve`: throughput and latency by requests in flight, and the depth to choose."""

from pathlib import Path
from typing import Any

import click

from harness.cli.renamed_option import RenamedOption
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
  stallscope io curve /srv --kind writes -o curve      (in a scratch file, removed at the end)
  stallscope io curve sim:servers=8,service=1ms --json | jq .recommended
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@click.option("--kind", type=click.Choice(["reads", "writes"]), default="reads", show_default=True,
              help="Direction of the requests.")  # fmt: skip
@block_option("Size of a request.")
@click.option("--pattern", type=click.Choice(["random", "sequential"]), default="random",
              show_default=True, help="Order of the requests' offsets.")  # fmt: skip
@click.option("--max-depth", cls=RenamedOption, former=["--most-depth"],
              type=click.IntRange(2, 4096), default=256, show_default=True, metavar="N",
              help="Largest number of requests in flight.")  # fmt: skip
@click.option("--slo-p99", metavar="TIME",
              help="p99 latency to keep, such as 500us or 2ms; adds the deepest depth that "
              "keeps it.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N",
              help="Number of readings per depth, in random order.")  # fmt: skip
@length_options("reading", duration_s=1.0, warmup_s=0.2)
@target_options()
@click.option("--io-properties", "properties", type=click.Path(path_type=Path), metavar="FILE",
              help="File for the disk's limits in seastar's format.")  # fmt: skip
@recording_options("Directory for a recording, with a page and io-properties.yaml.")
def command(path: str, as_json: bool, **values: Any) -> int:
    """Show how throughput and latency grow with depth, and which depth to choose.

    PATH is a file (which is only read), a directory (in which a scratch file without a name is
    written), a block device, or a simulated disk: sim:servers=8,service=1ms. Measures depths 1, 2,
    4 ... several times in random order, then depths around the knee. Readings that fail their own
    checks are masked. Ctrl-C keeps the results so far.
    """
    from harness.io.curve.options import curve_options  # noqa: PLC0415 - start-up stays light
    from harness.io.curve.session import run_curve  # noqa: PLC0415

    return run_curve(curve_options(path, values), as_json=as_json)
