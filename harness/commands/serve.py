"""`stallscope serve`: runs the reference server until Ctrl-C."""

from pathlib import Path
from typing import Any

import click

from harness.cli.json_option import json_options
from harness.cli.workload_options import (
    SERVED_PATHS,
    batch_options,
    password_file_option,
    path_option,
    stages_option,
)
from harness.workload.options import DEFAULT_PORT

EXAMPLES = """\b
Examples:
  stallscope serve
  stallscope serve --path codec --stages on --cpus 0
  stallscope serve --port 0 --json
  stallscope serve --bind 0.0.0.0 --password-file secret
  stallscope serve --path disk --data values --disk-limit 8
  stallscope serve --path disk --io-properties disk.yaml
"""


@click.command(epilog=EXAMPLES)
@path_option("kv", paths=SERVED_PATHS)
@stages_option()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    metavar="PORT",
    help="TCP port; 0: any free port.",
)
@click.option(
    "--bind",
    default="",
    metavar="ADDRESS",
    help="Address to listen on. Default: 127.0.0.1; any other needs a password.",
)
@click.option(
    "--unix",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Unix socket to listen on as well.",
)
@click.option(
    "--threads",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of threads; each holds a part of the keys.",
)
@click.option("--cpus", default="", metavar="LIST", help="CPUs for the threads, such as 0,2.")
@batch_options
@click.option(
    "--task-quota-us",
    type=click.IntRange(1),
    metavar="US",
    help="Time after which a running stage yields, in microseconds. Default: 500.",
)
@click.option(
    "--write",
    type=click.Choice(["deferred", "eager"]),
    default="deferred",
    show_default=True,
    help="When to write replies: once per loop iteration, or at once.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory for the values of --path disk. Default: temporary files.",
)
@click.option(
    "--sync",
    type=click.Choice(["none", "each-batch"]),
    default="none",
    show_default=True,
    help="When to acknowledge writes: after write, or after fsync of the batch.",
)
@click.option(
    "--disk-limit",
    default="",
    metavar="N|none",
    help="Limit of outstanding requests on the disk, of all threads together. Default: 8, or the "
    "number of threads if it is larger.",
)
@click.option(
    "--io-properties",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Limits of the disk, as `stallscope io curve --kind writes --io-properties` writes them; "
    "they set the cost of a request by direction and size. Default: every request costs the same.",
)
@click.option(
    "--disk-shares",
    default="",
    metavar="SHARES",
    help="Shares of the disk's two classes. Default: queries=1000,compaction=100.",
)
@click.option(
    "--segment-bytes",
    default="",
    metavar="BYTES",
    help="Size of a segment file of the log. Default: 64M.",
)
@click.option(
    "--maxmemory",
    default="",
    metavar="BYTES",
    help="Memory limit for keys, such as 64M. Default: no limit.",
)
@click.option(
    "--maxmemory-policy",
    default="",
    metavar="POLICY",
    help="Eviction policy at the limit. Default: noeviction.",
)
@password_file_option("File with the password that clients must send.")
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Port for Prometheus metrics over HTTP; 0: any free port.",
)
@json_options("Print one JSON document instead of text when the server is ready.")
def command(as_json: bool, stages: str, **values: Any) -> int:
    """Run the reference server until Ctrl-C.

    A RESP server for diagnosis. Its request path is split into execution stages. A stage runs its
    calls in batches, so that they miss the instruction cache less often; --stages off runs each
    call immediately. Any redis client can connect.
    """
    from harness.serve.options import serve_options  # noqa: PLC0415 - start-up stays light
    from harness.serve.session import serve  # noqa: PLC0415

    return serve(serve_options(stages, values), as_json=as_json)
