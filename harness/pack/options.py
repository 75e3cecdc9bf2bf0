"""The validated options of `stallscope pack`."""

from dataclasses import dataclass
from pathlib import Path

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from stallscope.errors import UsageError

SUFFIX = ".stallscope.tar.gz"


@dataclass(frozen=True, slots=True)
class PackOptions:
    """The recording, the archive, and whether names of hosts, arguments and paths are left out.

    ``places``: of debug files, for the named stacks of a redacted archive.
    """

    recording: Path
    output: Path | None = None  # None: the recording's name here
    redact: bool = False
    max_binaries_bytes: int = 1 << 30
    places: SymbolPlaces = DEFAULT_PLACES

    def __post_init__(self) -> None:
        """Raise UsageError for debug files of an archive that names no functions."""
        if not self.redact and self.places != DEFAULT_PLACES:
            raise UsageError(
                "--debug-directory and --debuginfod are for --redact, which names the functions",
                "pack without them, and give them to stallscope report of the unpacked recording",
            )

    @property
    def archive(self) -> Path:
        """Return the path of the archive."""
        return self.output or Path(f"{self.recording.resolve().name}{SUFFIX}")
