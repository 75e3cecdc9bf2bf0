"""`stallscope io mix`: what reads and writes take from each other, by rates and by sizes."""

from pathlib import Path
from typing import Any

import click

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
@click.option("--block", default="4K", show_default=True, metavar="SIZE",
              help="Size of the matrix's requests.")  # fmt: skip
@click.option("--sizes", default="4K,16K,64K,256K,1M", show_default=True, metavar="LIST",
              help="Sizes to compare.")  # fmt: skip
@click.option("--duration", "duration_s", type=click.FloatRange(0.1, 600), default=0.6,
              show_default=True, metavar="S", help="Seconds of each cell.")  # fmt: skip
@click.option("--warmup", "warmup_s", type=click.FloatRange(0, 600), default=0.1,
              show_default=True, metavar="S", help="Seconds before each.")  # fmt: skip
@click.option("--size", default="1G", show_default=True, metavar="SIZE",
              help="Of the file of our own, where one is made.")  # fmt: skip
@click.option("--span", metavar="SIZE", help="Spread requests over so much. Default: all.")
@click.option("--destroy", metavar="DEVICE",
              help="Write to this block device, named once more: all on it is lost.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR",
              help="Record into this directory, with a page.")  # fmt: skip
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the heat maps as .svg or .png.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a recording that is there already.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(path: str, as_json: bool, **values: Any) -> int:
    """Say what reads and writes take from each other, by rates and sizes.

    Rates of reads by rates of writes, each a share of what the disk does of it alone, the least
    load first; beyond a cell that missed its load none is tried. Then sizes of requests by load.
    Cells that got under 97 % of their load are masked. It writes only into a file of its own, which
    has no name and is gone at the end; beside a file that is named, in a directory, or, with
    --destroy, onto a device. Ctrl-C keeps what was measured.
    """
    from harness.io.mix_options import mix_request  # noqa: PLC0415 - start-up stays light
    from harness.io.mix_session import run_mix  # noqa: PLC0415

    return run_mix(mix_request(path, values), as_json=as_json)
