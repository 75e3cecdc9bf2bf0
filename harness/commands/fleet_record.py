"""`stallscope fleet record`: record on many hosts."""

import shlex
from pathlib import Path

import click

from harness.cli.json_option import json_option

EXAMPLES = """\b
Examples:
  stallscope fleet record --hosts hosts.txt -o fleet -- -a -F 49 --duration 30
  stallscope fleet record --hosts hosts.txt -o fleet -- -G system.slice/redis.service --duration 10
  stallscope fleet record --hosts hosts.txt -o fleet --ssh 'ssh -p 2222 -i key' -- -a --duration 5
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--hosts",
    "hosts_file",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with one host per line: a destination of ssh, or NAME=DESTINATION.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("fleet"),
    show_default=True,
    metavar="DIR",
    help="Directory of the recordings, one below it per host.",
)
@click.option(
    "--parallel",
    type=click.IntRange(1, 256),
    default=16,
    show_default=True,
    help="Number of hosts that record at the same time.",
)
@click.option(
    "--timeout",
    "limit_s",
    type=click.FloatRange(1),
    default=600.0,
    show_default=True,
    help="Time limit of a recording, in seconds.",
)
@click.option("--ssh", default="ssh", show_default=True, help="Command for ssh, with its options.")
@click.argument("arguments", nargs=-1, required=True, metavar="COLLECTOR-OPTIONS...")
@json_option
def command(
    hosts_file: Path,
    output: Path,
    parallel: int,
    limit_s: float,
    ssh: str,
    arguments: tuple[str, ...],
    as_json: bool,
) -> int:
    """Record on many hosts over ssh, and fetch the recordings.

    The static collector is copied to a temporary directory of each host, which is removed at the
    end. Hosts with a complete recording in DIR are left alone, so the same command continues an
    interrupted or partly failed run. Its exit status is 4 if a host failed; the others are kept.
    """
    from harness.cli.brief import document_text  # noqa: PLC0415 - start-up stays light
    from harness.fleet.hosts import read_hosts  # noqa: PLC0415
    from harness.fleet.record.options import FleetRecordOptions  # noqa: PLC0415
    from harness.fleet.record.session import record_fleet  # noqa: PLC0415
    from harness.fleet.record.text import host_line, lines  # noqa: PLC0415
    from stallscope.errors import ExitCode  # noqa: PLC0415

    result = record_fleet(
        FleetRecordOptions(
            hosts=read_hosts(hosts_file),
            output=output,
            arguments=arguments,
            parallel=parallel,
            limit_s=limit_s,
            ssh=tuple(shlex.split(ssh)),
        ),
        lambda row: click.echo(host_line(row), err=True),
    )
    if as_json:
        click.echo(document_text(result))
    else:
        for line in lines(result):
            click.echo(line)
    failed = any(row.status == "failed" for row in result.hosts)
    return int(ExitCode.TARGET_FAILED if failed else ExitCode.DONE)
