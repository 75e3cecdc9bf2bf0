"""The validated options of `stallscope fleet record`."""

from dataclasses import dataclass
from pathlib import Path

from harness.fleet.record.hosts import Host
from stallscope.errors import UsageError

# fleet record sets these itself.
_RESERVED = (
    "-o",
    "--output",
    "--force",
    "--control-fd",
    "--progress-fd",
    "--protocol",
    "--die-with-parent",
    "--start-disabled",
    "--probe",
    "--runtimes",
)


@dataclass(frozen=True, slots=True)
class FleetRecordOptions:
    """Hosts, options of the collector, and limits of time and parallelism."""

    hosts: tuple[Host, ...]
    output: Path
    collector_options: tuple[str, ...]
    parallel: int = 16
    timeout_s: float = 300.0  # of a host, from connection to the last byte
    connect_timeout_s: float = 10.0
    ssh_config: Path | None = None
    collector: Path | None = None  # None: that of this installation
    max_bytes: int = 1 << 30  # of a fetched recording

    def __post_init__(self) -> None:
        """Raise UsageError for options of the collector that fleet record sets itself."""
        for word in self.collector_options:
            if word == "--":
                break
            if word in _RESERVED or word.partition("=")[0] in _RESERVED or _is_output(word):
                raise UsageError(
                    f"{word} is set by fleet record", "leave it out after --; use -o before it"
                )


def _is_output(word: str) -> bool:
    return word.startswith("-o") and not word.startswith("--")
