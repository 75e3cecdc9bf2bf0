"""The options of `stallscope fleet record`."""

from pathlib import Path

from msgspec import Struct

from harness.fleet.hosts import Host
from stallscope.errors import UsageError

_OWN = ("-o", "--output", "--force", "--control-fd", "--progress-fd", "--protocol", "--flight")


class FleetRecordOptions(Struct, frozen=True, kw_only=True):
    """Hosts, where their recordings go, and the collector's arguments.

    ``limit_s``: of a recording with its connection. ``ssh``: the program with further options.
    """

    hosts: tuple[Host, ...]
    output: Path
    arguments: tuple[str, ...]
    parallel: int = 16
    limit_s: float = 600.0
    max_bytes: int = 1 << 30  # of one recording
    ssh: tuple[str, ...] = ("ssh",)

    def __post_init__(self) -> None:
        """Raise UsageError for arguments that fleet record sets itself."""
        if not self.arguments:
            raise UsageError(
                "there is nothing to record",
                "name it after --, as for stallscope-collect: -- -a --duration 10",
            )
        for word in self.arguments:
            name = word.split("=")[0]
            if name in _OWN:
                raise UsageError(
                    f"{name} is set by fleet record", "leave it out; -o before -- is the directory"
                )
