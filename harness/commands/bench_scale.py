"""`stallscope bench scale`: throughput by thread or connection count, with models."""

from pathlib import Path
from typing import Any

import click

from harness.cli.experiment_options import rounds_option
from harness.cli.json_option import json_option
from harness.cli.number_options import SecondsRange, count_option

EXAMPLES = """\b
Examples:
  stallscope bench scale --counts 1,2,4,8 -- ./work --threads {n}
  stallscope bench scale --counts 1,2,4,8 --unit req/s -o scale.html -- ./load.sh {n}
  stallscope bench scale throughput.csv -o scale.svg
  stallscope bench scale bench.txt --name Get
  stallscope bench scale speed-ups.csv --fixed-lambda 1 --json | jq .usl
  stallscope bench scale --network server.toml
"""


@click.command(epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="FILE | -- COMMAND...")
@click.option(
    "--counts",
    metavar="LIST",
    help="Counts of threads or connections at which COMMAND runs; {n} in its words is the count.",
)
@rounds_option("Rounds; each runs every count once, every second one in reverse order.", default=3)
@count_option(
    "--warmup", maximum=1000, default=1, text="Runs of the smallest count before the measurement."
)
@click.option(
    "--work",
    type=click.Choice(["total", "thread"]),
    default="total",
    show_default=True,
    help="Work of a run without benchmark lines: as much in total, or as much per thread.",
)
@click.option(
    "--timeout",
    type=SecondsRange(0.01, 86_400),
    metavar="S",
    default=600.0,
    show_default=True,
    help="Time limit for a run, in seconds; its processes are ended.",
)
@click.option("--ignore-failure", is_flag=True, help="Leave out runs that fail, and continue.")
@click.option(
    "--unit",
    metavar="UNIT",
    help="Unit of the benchmark lines to use, such as req/s or ns/op. Default: a rate, otherwise "
    "a time.",
)
@click.option("--name", metavar="NAME", help="Benchmark to use, if FILE has several.")
@click.option(
    "--axis",
    metavar="NAME",
    default="threads",
    show_default=True,
    help="Name of the count; selects the rows of a table with a column axis.",
)
@click.option(
    "--fixed-lambda",
    metavar="VALUE",
    help="Throughput of one, instead of a fitted one: a number (1 for speed-ups), or `first` for "
    "the smallest count.",
)
@click.option(
    "--think-time",
    type=SecondsRange(0, 1e6),
    metavar="S",
    default=0.0,
    show_default=True,
    help="Time of a client between two operations, in seconds, for Little's law.",
)
@click.option(
    "--recording",
    "recordings",
    multiple=True,
    metavar="COUNT=RUN",
    help="Show RUN, of waits or counters, beside the throughput at COUNT; may be repeated.",
)
@click.option(
    "--network",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Instead of reading results, solve the closed queueing network in this TOML file.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the points (.csv), the result (.json), the page (.html) or a picture (.svg, "
    ".png); may be repeated.",
)
@json_option
def command(
    words: tuple[str, ...],
    counts: str | None,
    network: Path | None,
    outputs: tuple[Path, ...],
    as_json: bool,
    **values: Any,
) -> int:
    """Model how throughput grows with threads or connections.

    Runs COMMAND at each count, or reads FILE: benchmark lines whose names end in a count, or a
    table with columns N and X. Fits the universal scalability law and Amdahl's law, with
    intervals, peak and limit, and checks Little's law and the utilization law. X is what the
    command prints as a benchmark line, otherwise runs per second.
    """
    from harness.bench.scale.options import (  # noqa: PLC0415 - start-up stays light
        SUFFIXES,
        FitOptions,
        RunOptions,
        Work,
        parse_counts,
        parse_fixed_rate,
        parse_recordings,
        scale_options,
    )
    from harness.cli.outputs import check_files  # noqa: PLC0415

    check_files(outputs, SUFFIXES)
    if network is not None:
        from harness.bench.scale.network_session import run_network  # noqa: PLC0415

        return run_network(network, outputs, as_json=as_json)
    run = None
    if counts is not None:
        run = RunOptions(
            command=words,
            counts=parse_counts(counts),
            rounds=values["rounds"],
            warmup=values["warmup"],
            work=Work(values["work"]),
            timeout_s=values["timeout"],
            ignore_failure=values["ignore_failure"],
        )
    options = scale_options(
        words,
        run,
        fit=FitOptions(
            parse_fixed_rate(values["fixed_lambda"]), values["think_time"], values["axis"]
        ),
        unit=values["unit"],
        name=values["name"],
        recordings=parse_recordings(values["recordings"]),
        outputs=outputs,
    )
    from harness.bench.scale.session import run_scale  # noqa: PLC0415

    return run_scale(options, as_json=as_json)
