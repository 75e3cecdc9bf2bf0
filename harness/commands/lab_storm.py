"""`stallscope lab storm`: what a limit on outstanding requests gains a reader beside writes."""

from pathlib import Path
from typing import Any

import click

from harness.cli.number_options import Number

EXAMPLES = """\b
Examples:
  stallscope lab storm /var/lib/db -o storm               (about a minute and a half)
  stallscope lab storm /var/lib/db --rounds 9 --seconds 2 --recommended 8
  stallscope lab storm /srv --limits 64,4 --shares 10:1
  stallscope lab storm /srv --server --size 256M
  stallscope lab storm sim:servers=8,service=1ms --json | jq '.rows[] | [.limit, .reader_ns.p99]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("path")
@click.option("--rounds", type=click.IntRange(1, 1000), default=5, show_default=True,
              help="Rounds, each with all settings; under five give no verdict.")  # fmt: skip
@click.option("--seconds", "duration_s", type=Number(0.05, 600), metavar="S",
              help="Seconds of a setting in a round. Default: 1; 3 with --server; 10 of a "
              "simulated disk's time.")  # fmt: skip
@click.option("--warmup", "warmup_s", type=Number(0, 600), default=0.2, show_default=True,
              metavar="S", help="Seconds before each.")  # fmt: skip
@click.option("--rest", "rest_s", type=Number(0, 600), default=0.0, show_default=True,
              metavar="S", help="Seconds of rest before that, for caches and limiters to "
              "recover.")  # fmt: skip
@click.option("--recommended", type=click.IntRange(1, 4096), metavar="N",
              help="The recommended limit. Default: by a trial of limits before.")  # fmt: skip
@click.option("--limits", default="128,32,16,8", show_default=True, metavar="LIST",
              help="Limits to try beside it and none; 128 is always there.")  # fmt: skip
@click.option("--shares", default="1000:100", show_default=True, metavar="R:W",
              help="The reader's shares and the writer's.")  # fmt: skip
@click.option("--depth", type=click.IntRange(1, 4096), default=256, show_default=True,
              help="Writes that the writer keeps outstanding.")  # fmt: skip
@click.option("--read-block", default="4K", show_default=True, metavar="SIZE",
              help="Size of a read.")  # fmt: skip
@click.option("--write-block", default="128K", show_default=True, metavar="SIZE",
              help="Size of a write.")  # fmt: skip
@click.option("--server", is_flag=True,
              help="The reference server's queries beside its compaction, in the directory "
              "PATH.")  # fmt: skip
@click.option("--size", default="1G", show_default=True, metavar="SIZE",
              help="Of the file of our own.")  # fmt: skip
@click.option("--span", metavar="SIZE", help="Spread requests over so much. Default: all.")
@click.option("--destroy", metavar="DEVICE",
              help="Write to this block device, named once more: all on it is lost.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR",
              help="Record into this directory, with a page.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a recording that is there already.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(path: str, as_json: bool, **values: Any) -> int:
    """Measure what a limited I/O queue gains a reader beside writes.

    One read at a time beside a storm of large writes, both through an I/O queue of our own: without
    a limit and with several, first come first served and with shares, in rounds to and fro. Tells
    the reader's latency, the writer's bandwidth and where requests waited, and a verdict on the
    recommended limit against 128, which may be "no gain here". It writes only into a file of its
    own, which has no name and is gone at the end, or, with --destroy, onto a device. Ctrl-C keeps
    what is finished.
    """
    from harness.labs.storm.options import storm_options  # noqa: PLC0415 - start-up stays light
    from harness.labs.storm.session import run_storm  # noqa: PLC0415

    return run_storm(storm_options(path, values), as_json=as_json)
