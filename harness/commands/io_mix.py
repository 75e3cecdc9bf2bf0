"""`stallscope io mix`: what reads and writes take from each other, by rates and by sizes."""

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
  stallscope io mix /var/lib/db/data --reads-only      (sizes only; nothing is written)
  stallscope io mix /srv --sizes 4K,128K --picture mix.png
  stallscope io mix sim:servers=8,service=1ms --json | jq '.cells[] | [.outcome, .bytes_per_s]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@click.option("--reads-only", is_flag=True, help="Read only: no matrix, only sizes of reads.")
@block_option("Size of the matrix's requests.")
@click.option("--sizes", default="4K,16K,64K,256K,1M", show_default=True, metavar="LIST",
              help="Sizes to compare.")  # fmt: skip
@length_options("cell", duration_s=0.6, warmup_s=0.1)
@target_options()
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the heat maps as .svg or .png.")  # fmt: skip
@recording_options()
def command(path: str, as_json: bool, **values: Any) -> int:
    """Say what reads and writes take from each other, by rates and sizes.

    Rates of reads by rates of writes, each a share of what the disk does of it alone, the least
    load first; beyond a cell that missed its load none is tried. Then sizes of requests by load.
    Cells that got under 97 % of their load are masked. It writes only into a file of its own, which
    has no name and is gone at the end; beside a file that is named, in a directory, or, with
    --destroy, onto a device. Ctrl-C keeps what was measured.
    """
    from harness.io.mix.options import mix_request  # noqa: PLC0415 - start-up stays light
    from harness.io.mix.session import run_mix  # noqa: PLC0415

    return run_mix(mix_request(path, values), as_json=as_json)
