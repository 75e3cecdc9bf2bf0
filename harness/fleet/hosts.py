"""The hosts of a fleet: a file with one ssh destination per line.

    # name=destination, or the destination alone
    db1=admin@db1.example.net
    web2.example.net

A name is the directory of the host's recording. Names and destinations are restricted to characters
that neither a shell nor ssh takes as something else.
"""

import re
from pathlib import Path

from msgspec import Struct

from stallscope.errors import UsageError

MAX_HOSTS = 10_000
MAX_BYTES = 4 << 20
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}")
_DESTINATION = re.compile(r"[A-Za-z0-9_.@:\[\]%][A-Za-z0-9_.@:\[\]%-]{0,250}")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


class Host(Struct, frozen=True):
    """A host: the name of its directory, and the destination for ssh."""

    name: str
    destination: str


def read_hosts(path: Path) -> tuple[Host, ...]:
    """Return the hosts of a file; UsageError with the line of a wrong one."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "name a file with one host per line"
        ) from error
    if len(text) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES >> 20} MiB", "divide the hosts")
    hosts: dict[str, Host] = {}
    for number, line in enumerate(text.splitlines(), 1):
        content = line.split("#")[0].strip()
        if not content:
            continue
        host = _host(content, f"{path}:{number}")
        if host.name in hosts:
            raise UsageError(
                f"{path}:{number}: the name {host.name} is used twice", "write NAME=DESTINATION"
            )
        hosts[host.name] = host
        if len(hosts) > MAX_HOSTS:
            raise UsageError(f"{path} has more than {MAX_HOSTS:,} hosts", "divide the hosts")
    if not hosts:
        raise UsageError(f"{path} has no host", "write one destination of ssh per line")
    return tuple(hosts.values())


def _host(text: str, where: str) -> Host:
    name, equals, destination = text.partition("=")
    if not equals:
        name, destination = _UNSAFE.sub("_", text).lstrip(".-_") or "_", text
    if not _NAME.fullmatch(name):
        raise UsageError(f"{where}: {name!r} is not a name", "use letters, digits, _, . and -")
    if not _DESTINATION.fullmatch(destination):
        raise UsageError(
            f"{where}: {destination!r} is not a destination of ssh", "write USER@HOST, or HOST"
        )
    return Host(name, destination)
