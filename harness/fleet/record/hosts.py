"""The file of hosts: one [user@]host[:port] per line."""

import re
from dataclasses import dataclass
from pathlib import Path

from stallscope.documents import read_bounded
from stallscope.errors import RecordingError, UsageError

# No character that a shell, ssh's option parser or a path treats specially.
_HOST = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@)?"
    r"(?P<name>[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
_MAX_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Host:
    """A host that ssh reaches; ``folder`` is its directory among the recordings."""

    name: str
    user: str = ""
    port: int | None = None

    @property
    def folder(self) -> str:
        """Return the name with port, without characters that are special in paths."""
        name = self.name.strip("[]").replace(":", "_")
        return name if self.port is None else f"{name}-{self.port}"

    @property
    def text(self) -> str:
        """Return the host as in the file, without the user."""
        return self.name if self.port is None else f"{self.name}:{self.port}"


def read_hosts(path: Path) -> tuple[Host, ...]:
    """Return the hosts of a file; empty lines and comments (#) are skipped.

    Raises UsageError with the line if one is not a host, or is listed twice.
    """
    try:
        text = read_bounded(path, _MAX_BYTES).decode("utf-8", "replace")
    except RecordingError as error:
        raise UsageError(error.message, "name a file with one host per line") from error
    hosts: dict[str, Host] = {}
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        match = _HOST.fullmatch(word)
        port = int(match["port"]) if match and match["port"] else None
        if match is None or (port is not None and not 0 < port < 65536):
            raise UsageError(
                f"{path}:{number}: {word!r} is not a host", "write [user@]host[:port] per line"
            )
        host = Host(match["name"], match["user"] or "", port)
        if host.folder in hosts:
            raise UsageError(f"{path}:{number}: {word!r} is listed twice", "remove one line")
        hosts[host.folder] = host
    if not hosts:
        raise UsageError(f"{path} names no host", "write [user@]host[:port] per line")
    return tuple(hosts.values())
