"""`stallscope load`: the latency of a RESP server under load."""

from pathlib import Path
from typing import Any

import click

from harness.cli.experiment_options import seed_option
from harness.cli.json_option import json_option
from harness.cli.number_options import NumberRange, number_option
from harness.cli.workload_options import connections_option, password_file_option, pipeline_option

EXAMPLES = """\b
Examples:
  stallscope serve                             (in another terminal)
  stallscope load 127.0.0.1:7379
  stallscope load 127.0.0.1:6379 --rate 50000 --duration 30 -o redis-50k -o redis-50k.svg
  stallscope load unix:/run/redis.sock --pipeline 16 --keys 1000000 --key-distribution zipf
  stallscope load 127.0.0.1:6379 --rates 1000,4000,16000 --duration 2
  stallscope load 127.0.0.1:7379 --json | jq '.latency_us["p99.9"]'
"""


@click.command(epilog=EXAMPLES)
@click.argument("target", required=False, default="")
@number_option(
    "--duration", minimum=0.1, default=10, unit="S", text="Length of the measurement, in seconds."
)
@number_option(
    "--warmup", minimum=0, default=1, unit="S", text="Warm-up before the measurement, in seconds."
)
@click.option(
    "--requests",
    type=click.IntRange(1),
    metavar="N",
    help="End after N requests, if --duration has not passed yet.",
)
@click.option(
    "--rate",
    type=NumberRange(0, min_open=True),
    metavar="R",
    help="Requests per second in an open loop. Default: a closed loop without a rate.",
)
@click.option(
    "--rates",
    default="",
    metavar="LIST",
    help="Compare open loops at several rates, in requests/s: 1000,4000. Each round runs all.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="Rounds over all --rates; fewer than five give no verdict.",
)
@click.option(
    "--arrivals",
    type=click.Choice(["poisson", "fixed"]),
    default="poisson",
    show_default=True,
    help="Distribution of the intervals between the requests of an open loop.",
)
@click.option(
    "--think-us",
    type=click.IntRange(0),
    metavar="US",
    help="Pause of a connection after a reply in a closed loop, in microseconds.",
)
@connections_option()
@click.option(
    "--threads",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of loader threads.",
)
@pipeline_option(1)
@click.option(
    "--keys",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    metavar="N",
    help="Number of keys to read and write.",
)
@click.option(
    "--key-distribution",
    default="uniform",
    show_default=True,
    metavar="uniform|zipf[:S]",
    help="Distribution of the keys over requests.",
)
@click.option(
    "--value-bytes",
    default="64",
    show_default=True,
    metavar="N|MIN-MAX",
    help="Size of written values, in bytes.",
)
@click.option(
    "--read-share",
    type=NumberRange(0, 1),
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="Share of GET among GET and SET, from 0 to 1.",
)
@click.option(
    "--request-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File with requests (RESP) to send in a cycle instead.",
)
@password_file_option("File with the server's password.")
@click.option(
    "--fill",
    is_flag=True,
    help="Set every key once before the load, so that every read finds its key.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Number all requests, and fail if a reply is lost, doubled or out of order.",
)
@seed_option("Random seed for keys, sizes and arrivals.")
@click.option(
    "--cpus", default="", metavar="LIST", help="CPUs for the loader's threads, such as 1,3."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="PATH",
    help="Directory for the recording (default: stallscope-load-<time>), or a .svg or .png file "
    "for a picture of the latency; may be repeated.",
)
@click.option("--force", is_flag=True, help="Replace an existing recording.")
@json_option
def command(
    target: str,
    output: tuple[Path, ...],
    rates: str,
    rounds: int,
    force: bool,
    as_json: bool,
    **values: Any,
) -> int:
    """Put a RESP server under load, and report its latency.

    TARGET is HOST:PORT or unix:PATH of any server that speaks RESP. Latency counts from the
    intended start of a request, and so includes the time in which the server stalls. Writes a
    recording with histograms and a page. With --rates, prints latency by rate, and explains a
    latency that falls as the rate rises. Ctrl-C ends the load and keeps the measurement.
    """
    from harness.load.options import load_options, rates_options  # noqa: PLC0415 - start-up stays light
    from harness.load.rates.session import run_rates  # noqa: PLC0415
    from harness.load.session import run_load_command  # noqa: PLC0415

    options = load_options(target, output, values, force=force)
    if rates:
        run_rates(rates_options(options, rates, rounds), as_json=as_json)
        return 0
    return run_load_command(options, as_json=as_json)
