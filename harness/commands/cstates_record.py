"""`stallscope cstates record`: idle intervals as they happen."""

from pathlib import Path

import click

from harness.cli.number_options import Number

EXAMPLES = """\b
Examples:
  stallscope cstates record --duration 10
  stallscope cstates record -o idle -- sleep 5
  stallscope cstates record --cpus 0-3 -o idle -- ./server --threads 4
  stallscope cstates simulate --table this --trace idle/idle.csv
"""


@click.command(epilog=EXAMPLES, context_settings={"allow_interspersed_args": False})
@click.argument("target", metavar="[-- CMD...]", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--duration",
    type=Number(0.01, 86_400),
    metavar="S",
    help="End after so many seconds. Default: with the command, or at Ctrl-C.",
)
@click.option("--cpus", metavar="LIST", help="Record these CPUs only, as 0-3,8. Default: all.")
@click.option(
    "--max-intervals",
    type=click.IntRange(0, 100_000_000),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Write at most so many intervals to the trace; histograms hold all.",
)
@click.option("--counters-only", is_flag=True, help="Use the kernel's counters, no tracepoints.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to put the recording. Default: stallscope-idle-<time>.",
)
@click.option("--force", is_flag=True, help="Replace a recording that is there already.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(
    target: tuple[str, ...],
    duration: float | None,
    cpus: str | None,
    max_intervals: int,
    counters_only: bool,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Record idle intervals: lengths, what woke the CPUs, measured exit latency.

    Every interval's state, length, next timer, what woke the CPU and the task that ran then, and
    the time from the cause of the wake-up to the end of the idle state, beside what the driver
    declares. Uses tracepoints in an instance of its own, which takes root; without them the
    kernel's counters only.
    """
    from cstates.sysfs import chosen_cpus  # noqa: PLC0415 - start-up stays light
    from harness.cstates.record.files import default_directory  # noqa: PLC0415
    from harness.cstates.record.session import RecordOptions, run_session  # noqa: PLC0415
    from stallscope.system_files import Roots  # noqa: PLC0415

    options = RecordOptions(
        command=target,
        duration_s=duration,
        cpus=chosen_cpus(Roots(), cpus),
        most_intervals=max_intervals,
        counters_only=counters_only,
        output=output or default_directory(),
        force=force,
    )
    return run_session(options, as_json=as_json)
