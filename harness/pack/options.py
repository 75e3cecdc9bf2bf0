"""The validated options of `stallscope pack`."""

from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".stallscope.tar.gz"


@dataclass(frozen=True, slots=True)
class PackOptions:
    """The recording, the archive, and whether names of hosts, arguments and paths are left out."""

    recording: Path
    output: Path | None = None  # None: the recording's name here
    redact: bool = False
    max_binaries_bytes: int = 1 << 30

    @property
    def archive(self) -> Path:
        """Return the path of the archive."""
        return self.output or Path(f"{self.recording.resolve().name}{SUFFIX}")
