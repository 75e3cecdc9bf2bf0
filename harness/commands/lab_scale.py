"""`stallscope lab scale`: throughput of the reference server by connections and by threads."""

from pathlib import Path
from typing import Any

import click

from harness.cli.experiment_options import rounds_option
from harness.cli.json_option import json_option
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
  stallscope lab scale --threads 1,8,16,32,64 --count memory --workload scan
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
    metavar="N|LIST",
    help="Largest number of server threads: 1, 2, 4 up to N. Or a list: 1,8,16. Default: the "
    "number of CPUs.",
)
@click.option(
    "--workload",
    type=click.Choice(["get", "scan"]),
    default="get",
    show_default=True,
    help="Requests of path kv: GET of random keys, or scans of 128 consecutive keys of 1 KiB.",
)
@click.option(
    "--count",
    multiple=True,
    metavar="EVENTS",
    help="Events to count in one more run per point, with IPC, slots and software events; may be "
    "repeated. memory: loads, misses by level, stalls and write-backs.",
)
@click.option(
    "--table",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file with columns N (threads) and X (throughput or speed-up), to show instead of "
    "measuring.",
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
@json_option
def command(
    connections: int,
    threads: str | None,
    stages: str,
    workload: str,
    count: tuple[str, ...],
    table: Path | None,
    cpus: str | None,
    output: tuple[Path, ...],
    as_json: bool,
    **values: Any,
) -> None:
    """Measure throughput by connections and by server threads.

    Saturates the reference server with 1 to N connections, and with 1 to N threads. Prints X,
    requests per second, by N: the points that a fit of scalability needs. Points whose server
    threads share a CPU with the loader are marked. Counters cover exactly the measured time of a
    run. Ctrl-C keeps finished runs.
    """
    from harness.cli.outputs import check_files  # noqa: PLC0415 - start-up stays light
    from harness.labs.scale.options import (  # noqa: PLC0415
        SUFFIXES,
        LabScaleOptions,
        ScaleWorkload,
        doubling,
        thread_counts,
    )
    from harness.labs.scale.session import run_scale, show_table  # noqa: PLC0415
    from harness.workload.cores import usable_cpus  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    check_files(output, SUFFIXES)
    if table is not None:
        show_table(table, output, as_json=as_json)
        return
    if workload == "scan" and values["path"] != "kv":
        raise UsageError("--workload scan needs path kv", "omit --path")
    options = LabScaleOptions(
        connections=doubling(connections),
        threads=thread_counts(threads, len(usable_cpus(cpus))),
        workload=ScaleWorkload(workload),
        events=count or None,
        stages=stages == "on",
        **values,
    )
    run_scale(options, cpus, output, as_json=as_json)
