"""`stallscope load`: puts a RESP server under load and tells its latency."""

from pathlib import Path
from typing import Any

import click

from harness.cli.experiment_options import seed_option
from harness.cli.number_options import Number, number_option
from harness.cli.workload_options import connections_option, password_file_option, pipeline_option

EXAMPLES = """\b
Examples:
  stallscope serve                             (in another terminal)
  stallscope load 127.0.0.1:7379
  stallscope load 127.0.0.1:6379 --rate 50000 --duration 30 -o redis-50k
  stallscope load unix:/run/redis.sock --pipeline 16 --keys 1000000 --key-distribution zipf
  stallscope load 127.0.0.1:7379 --json | jq '.latency_us["p99.9"]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("target", required=False, default="")
@number_option("--duration", least=0.1, default=10, unit="S", text="Seconds that are measured.")
@number_option("--warmup", least=0, default=1, unit="S", text="Seconds before that.")
@click.option(
    "--requests",
    type=click.IntRange(1),
    metavar="N",
    help="End after so many, if that is before --duration.",
)
@click.option(
    "--rate",
    type=Number(0, min_open=True),
    metavar="R",
    help="Requests a second in an open loop. Default: a closed loop, as fast as replies come.",
)
@click.option(
    "--arrivals",
    type=click.Choice(["poisson", "fixed"]),
    default="poisson",
    show_default=True,
    help="How an open loop's requests are spaced.",
)
@click.option(
    "--think-us",
    type=click.IntRange(0),
    metavar="US",
    help="Microseconds that a connection of a closed loop waits after a reply.",
)
@connections_option()
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads of the loader."
)
@pipeline_option(1)
@click.option(
    "--keys",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="Keys that are read and written.",
)
@click.option(
    "--key-distribution",
    default="uniform",
    show_default=True,
    metavar="uniform|zipf[:S]",
    help="How often each key is used.",
)
@click.option(
    "--value-bytes",
    default="64",
    show_default=True,
    metavar="N|MIN-MAX",
    help="Size of values written.",
)
@click.option(
    "--read-share",
    type=Number(0, 1),
    default=0.9,
    show_default=True,
    help="GET among GET and SET.",
)
@click.option(
    "--request-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Send these requests (RESP, one after another) in turn instead.",
)
@password_file_option("File with the server's password.")
@click.option(
    "--fill", is_flag=True, help="Set every key once before the load, so that reads find them."
)
@click.option(
    "--check",
    is_flag=True,
    help="Number each request, and fail where a reply is lost, doubled or out of order.",
)
@seed_option("Random seed of keys, sizes and arrivals.")
@click.option("--cpus", default="", metavar="LIST", help="Pin the loader's threads, as 1,3.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to put the recording. Default: stallscope-load-<time>.",
)
@click.option("--force", is_flag=True, help="Replace a recording that is there already.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(target: str, force: bool, as_json: bool, **values: Any) -> int:
    """Put a RESP server under load, and report its latency.

    TARGET is HOST:PORT or unix:PATH of any server that speaks RESP. Latency counts from the time at
    which a request was to start, so that a server that stalls cannot hide it. Writes a recording
    with histograms and a page. Ctrl-C ends the load and keeps what was measured.
    """
    from harness.load.recording import default_directory  # noqa: PLC0415
    from harness.load.session import run_session  # noqa: PLC0415
    from harness.workload.options import LoadOptions  # noqa: PLC0415 - start-up stays light
    from stallscope.errors import UsageError  # noqa: PLC0415

    if not target:
        raise UsageError(
            "name the server to be loaded, as 127.0.0.1:7379 or unix:PATH",
            "start one with `stallscope serve` in another terminal, then: "
            "stallscope load 127.0.0.1:7379",
        )
    options = LoadOptions(
        target=target,
        output=values.pop("output") or default_directory(),
        duration_s=values.pop("duration"),
        warmup_s=values.pop("warmup"),
        rate_per_s=values.pop("rate"),
        **values,
    )
    return run_session(options, force=force, as_json=as_json)
