"""`stallscope lab stages`: what batches of requests gain, stages off against on."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import number_option
from harness.cli.workload_options import (
    batch_options,
    connections_option,
    path_option,
    pipeline_option,
    run_length_option,
)

EXAMPLES = """\b
Examples:
  stallscope lab stages --path codec                      (about two minutes)
  stallscope lab stages --path query --pairs 9 --duration 3 -o query
  stallscope lab stages --footprint-sweep -o sweep        (about seven minutes)
  stallscope lab stages --path kv --threads 4 --cpus 0-7
  stallscope lab stages --path kv --no-replay --profile 0 --json | jq .throughput_ratio
"""


@click.command(epilog=EXAMPLES)
@path_option("codec")
@click.option(
    "--pairs",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="Pairs of runs per load, stages off and on; fewer than five give no verdict.",
)
@run_length_option(1.5)
@number_option(
    "--warmup",
    "warmup_s",
    minimum=0,
    maximum=600,
    default=0.5,
    unit="S",
    text="Warm-up before each run, in seconds.",
)
@click.option(
    "--loads",
    default="30,60,90",
    show_default=True,
    metavar="LIST",
    help="Rates of the open loops, in percent of the unstaged capacity; empty: saturated only.",
)
@click.option(
    "--rate",
    "rates",
    default="",
    metavar="LIST",
    help="Rates of further open loops, in requests per second, such as 20000,50000.",
)
@pipeline_option(8)
@connections_option()
@number_option(
    "--profile",
    "profile_s",
    minimum=0,
    maximum=600,
    default=5,
    unit="S",
    text="Length of each side's profile, in seconds; 0: no flame graphs.",
)
@click.option(
    "--replay/--no-replay",
    default=True,
    help="Replay logged requests under callgrind for simulated cache misses. Default: yes.",
)
@click.option(
    "--footprint-sweep",
    "sweep",
    is_flag=True,
    help="Measure the gain by code per request (8 KB to 2 MB) and by batch limit instead.",
)
@batch_options
@click.option(
    "--threads",
    type=click.IntRange(1, 128),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of threads of the server and of the loader, with a CPU each. With more than "
    "one, path kv also writes.",
)
@click.option(
    "--cpus",
    metavar="LIST",
    help="CPUs to use, such as 0,2: twice as many as threads, otherwise both sides share them.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory for page, result and logs. Default: stallscope-stages-<path>-<time>.",
)
@json_option
def command(
    cpus: str | None, loads: str, rates: str, as_json: bool, sweep: bool, **values: Any
) -> None:
    """Measure what execution stages gain on the reference server.

    Runs server and loader on different CPUs with stages off and on, in alternating rounds:
    saturated, and in open loops at shares of the unstaged capacity or at fixed rates. Prints
    tables, both slot trees and a verdict, which can be "no gain here", or none if the rounds
    disagree. Writes a page with both flame graphs. Ctrl-C keeps complete pairs.
    """
    from harness.labs.stages.options import stages_options  # noqa: PLC0415 - start-up stays light
    from harness.labs.stages.session import run_stages  # noqa: PLC0415
    from harness.labs.stages.sweep.session import run_sweep  # noqa: PLC0415

    options = stages_options(values, loads, rates)
    if sweep:
        run_sweep(options, cpus, as_json=as_json)
    else:
        run_stages(options, cpus, as_json=as_json)
