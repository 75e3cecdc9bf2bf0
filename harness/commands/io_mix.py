"""`stallscope io mix`: throughput and latency of reads and writes together, by rates and sizes."""

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
  stallscope io mix /var/lib/db -o mix                 (about a minute)
  stallscope io mix /var/lib/db/data --reads-only      (request sizes only; no writes)
  stallscope io mix /srv --sizes 4K,128K --picture mix.png
  stallscope io mix sim:servers=8,service=1ms --json | jq '.cells[] | [.outcome, .bytes_per_s]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@click.option("--reads-only", is_flag=True,
              help="Measure sizes of reads only, without writes and matrix.")  # fmt: skip
@block_option("Size of a request of the matrix.")
@click.option("--sizes", default="4K,16K,64K,256K,1M", show_default=True, metavar="LIST",
              help="Request sizes to compare.")  # fmt: skip
@length_options("cell", duration_s=0.6, warmup_s=0.1)
@target_options()
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE",
              help="File for the heat maps, .svg or .png.")  # fmt: skip
@recording_options()
def command(path: str, as_json: bool, **values: Any) -> int:
    """Show how reads and writes slow each other down, by rates and sizes.

    Measures a matrix of read and write rates, which are shares of the disk's maximum for each, and
    then request sizes by load. The smallest load is first; cells beyond a cell that missed its load
    are skipped. A cell with less than 97 % of its load is masked. Writes go only to a scratch file
    without a name, beside a named file or in a directory, or with --destroy to a device. Ctrl-C
    keeps the results so far.
    """
    from harness.io.mix.options import mix_options  # noqa: PLC0415 - start-up stays light
    from harness.io.mix.session import run_mix  # noqa: PLC0415

    return run_mix(mix_options(path, values), as_json=as_json)
