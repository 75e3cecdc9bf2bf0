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
  stallscope lab scale --connections 64 --threads 2 -o scale.csv
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
    help="The most connections: 1, 2, 4 and so on up to N, at one server thread.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="The most server threads: 1, 2, 4 up to N. Default: the CPUs.",
)
@rounds_option("Runs of each point; every round has all points.", 3)
@run_length_option(1.0)
@pipeline_option(1)
@stages_option()
@click.option("--cpus", metavar="LIST", help="Use these CPUs only, as 0-3; one is the loader's.")
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write N and X as .csv, or the document as .json; may be repeated.",
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

    Saturates the reference server with 1 to N connections, and with 1 to N threads, and tells X,
    requests a second, by N: the points that a fit of scalability takes. Points whose server threads
    share a CPU with the loader are marked. Ctrl-C keeps what was measured.
    """
    from harness.labs.scale.plan import ScaleOptions, doubling  # noqa: PLC0415
    from harness.labs.scale.session import check_outputs, run_lab, show  # noqa: PLC0415
    from harness.workload.cores import usable_cpus  # noqa: PLC0415 - start-up stays light

    check_outputs(output)
    options = ScaleOptions(
        connections=doubling(connections),
        threads=doubling(threads or len(usable_cpus(cpus))),
        stages=stages == "on",
        **values,
    )
    show(run_lab(options, cpus), output, as_json=as_json)
