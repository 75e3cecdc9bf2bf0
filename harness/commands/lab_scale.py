"""`stallscope lab scale`: throughput of the reference server by connections and by threads."""

from pathlib import Path
from typing import Any

import click

from harness.cli.experiment_options import rounds_option
from harness.cli.workload_options import (
    path_option,
    pipeline_option,
    run_length_option,
    stages_option,
)

EXAMPLES = """\b
Examples:
  stallscope lab scale                                  (about a minute)
  stallscope lab scale --connections 64 --threads 2 -o scale.csv -o scale.svg
  stallscope lab scale --path query --json | jq '.points[] | [.axis, .N, .X]'
"""


@click.command(epilog=EXAMPLES)
@path_option("kv")
@click.option(
    "--connections",
    type=click.IntRange(1, 10_000),
    default=64,
    show_default=True,
    metavar="N",
    help="Largest number of connections: 1, 2, 4 and so on up to N, with one server thread.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Largest number of server threads: 1, 2, 4 up to N. Default: the number of CPUs.",
)
@rounds_option("Number of rounds; each runs every point once.", 3)
@run_length_option(1.0)
@pipeline_option(1)
@stages_option()
@click.option(
    "--cpus", metavar="LIST", help="CPUs to use, such as 0-3; one of them runs the loader."
)
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for N and X (.csv), the result (.json) or a picture (.svg, .png); may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(
    connections: int,
    threads: int | None,
    stages: str,
    cpus: str | None,
    output: tuple[Path, ...],
    as_json: bool,
    **values: Any,
) -> None:
    """Measure throughput by connections and by server threads.

    Saturates the reference server with 1 to N connections, and with 1 to N threads. Prints X,
    requests per second, by N: the points that a fit of scalability needs. Points whose server
    threads share a CPU with the loader are marked. Ctrl-C keeps finished runs.
    """
    from harness.cli.outputs import check_files  # noqa: PLC0415 - start-up stays light
    from harness.labs.scale.options import SUFFIXES, ScaleOptions, doubling  # noqa: PLC0415
    from harness.labs.scale.session import run_scale  # noqa: PLC0415
    from harness.workload.cores import usable_cpus  # noqa: PLC0415

    check_files(output, SUFFIXES)
    options = ScaleOptions(
        connections=doubling(connections),
        threads=doubling(threads or len(usable_cpus(cpus))),
        stages=stages == "on",
        **values,
    )
    run_scale(options, cpus, output, as_json=as_json)
