"""`stallscope fleet record`: record many hosts over ssh."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.number_options import SecondsRange

EXAMPLES = """\b
Examples:
  stallscope fleet record --hosts hosts.txt -o monday -- -a --duration 10
  stallscope fleet record --hosts hosts.txt -- -G system.slice/nginx.service --duration 30
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--hosts",
    "hosts_file",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="File with one [user@]host[:port] per line; # starts a comment.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory of the recordings, one per host. Default: stallscope-fleet-TIME here. Hosts "
    "with a complete recording in it are not recorded again.",
)
@click.option(
    "--parallel",
    type=click.IntRange(1, 1000),
    default=16,
    show_default=True,
    metavar="N",
    help="Number of hosts to record at the same time.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=SecondsRange(0.1, 86400),
    default=300,
    show_default=True,
    metavar="S",
    help="Time limit per host, from the connection to the last byte, in seconds.",
)
@click.option(
    "--connect-timeout",
    "connect_timeout_s",
    type=SecondsRange(1, 3600),
    default=10,
    show_default=True,
    metavar="S",
    help="Time limit for the connection to a host, in seconds.",
)
@click.option(
    "--ssh-config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration file of ssh. Default: that of the user.",
)
@click.option(
    "--collector",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Collector to copy, for hosts of another architecture. Default: that of this machine.",
)
@json_option
@click.argument("collector_options", nargs=-1, type=click.UNPROCESSED)
def command(
    hosts_file: Path,
    output: Path | None,
    parallel: int,
    timeout_s: float,
    connect_timeout_s: float,
    ssh_config: Path | None,
    collector: Path | None,
    collector_options: tuple[str, ...],
    as_json: bool,
) -> int:
    """Record many hosts over ssh, and fetch the recordings.

    The static collector is copied to each host, checked by its SHA-256, run with the options after
    --, and removed with its files. A host that fails is reported; the others are kept, and the same
    command continues with the failed hosts. Exit code: 0 if all hosts are recorded, 4 if one
    failed. ssh must log in without a password (keys or agent).
    """
    from harness.cli.outputs import default_directory  # noqa: PLC0415 - start-up stays light
    from harness.cli.result_output import print_result  # noqa: PLC0415
    from harness.fleet.record.hosts import read_hosts  # noqa: PLC0415
    from harness.fleet.record.options import FleetRecordOptions  # noqa: PLC0415
    from harness.fleet.record.session import record_fleet  # noqa: PLC0415
    from harness.fleet.record.text import lines  # noqa: PLC0415

    options = FleetRecordOptions(
        hosts=read_hosts(hosts_file),
        output=output or default_directory("fleet"),
        collector_options=collector_options,
        parallel=parallel,
        timeout_s=timeout_s,
        connect_timeout_s=connect_timeout_s,
        ssh_config=ssh_config,
        collector=collector,
    )
    result, code = record_fleet(options)
    print_result(result, lines, as_json=as_json)
    return code
