"""`stallscope cstates record`: records idle intervals."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import SecondsRange

EXAMPLES = """\b
Examples:
  stallscope cstates record --duration 10
  stallscope cstates record -o idle -- sleep 5
  stallscope cstates record -o idle -o lengths.svg --duration 10
  stallscope cstates record --cpus 0-3 -o idle -- ./server --threads 4
  stallscope cstates simulate --table this --trace idle/idle.csv
"""


@click.command(epilog=EXAMPLES, context_settings={"allow_interspersed_args": False})
@click.argument("target", metavar="[-- CMD...]", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--duration",
    type=SecondsRange(0.01, 86_400),
    metavar="S",
    help="Duration in seconds. Default: until the command ends, or until Ctrl-C.",
)
@click.option("--cpus", metavar="LIST", help="CPUs to record, for example 0-3,8. Default: all.")
@click.option(
    "--max-intervals",
    type=click.IntRange(0, 100_000_000),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Maximum number of intervals in the trace file; histograms count all.",
)
@click.option(
    "--counters-only", is_flag=True, help="Use the kernel's counters instead of tracepoints."
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Directory of the recording (default: stallscope-idle-<time>), or a picture of the "
    "interval lengths (.svg, .png); may be repeated.",
)
@click.option("--force", is_flag=True, help="Replace an existing recording.")
@json_option
def command(
    target: tuple[str, ...],
    duration: float | None,
    cpus: str | None,
    max_intervals: int,
    counters_only: bool,
    outputs: tuple[Path, ...],
    force: bool,
    as_json: bool,
) -> int:
    """Record idle intervals: length, cause of the wake-up, measured exit latency.

    Records for each interval its state, length, next timer, the cause of the wake-up, the task that
    ran next, and the time from the cause to the end of the idle state, to compare with the declared
    latency. Uses tracepoints in a private trace instance, which needs root; without them only the
    kernel's counters.
    """
    from cstates.sysfs import chosen_cpus  # noqa: PLC0415 - start-up stays light
    from harness.cli.outputs import default_directory  # noqa: PLC0415
    from harness.cstates.record.options import RecordOptions  # noqa: PLC0415
    from harness.cstates.record.session import run_session  # noqa: PLC0415
    from harness.page.pictures import split_outputs  # noqa: PLC0415
    from stallscope.system_files import Roots  # noqa: PLC0415

    directory, pictures = split_outputs(outputs)
    options = RecordOptions(
        command=target,
        duration_s=duration,
        cpus=chosen_cpus(Roots(), cpus),
        max_intervals=max_intervals,
        counters_only=counters_only,
        output=directory or default_directory("idle"),
        force=force,
        pictures=pictures,
    )
    return run_session(options, as_json=as_json)
