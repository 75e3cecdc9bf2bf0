"""Where symbols may be looked for: the recording, the live system, debug directories, the cache."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SymbolSources:
    """The places that are asked for symbols, all passed in so that recorded machines work too.

    ``recording`` is the directory that holds ``binaries/``, ``jit/`` and ``kallsyms``. ``boot_id``
    is the recording's: processes and kernel of the live system are asked only while it is theirs.
    ``recorded_ns`` is when it was made, by the wall clock: a file without a build id that was
    written or put in place later is another one, whatever its path and inode say.
    """

    recording: Path | None = None
    boot_id: str | None = None
    recorded_ns: int | None = None
    proc: Path = Path("/proc")
    debug_directories: tuple[bytes, ...] = (b"/usr/lib/debug",)
    cache_directory: Path | None = None

    def same_boot(self) -> bool:
        """Return whether the recording was made since this system booted."""
        if not self.boot_id:
            return False
        try:
            live = (self.proc / "sys/kernel/random/boot_id").read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return False
        return live.strip() == self.boot_id.strip()


def default_cache_directory() -> Path | None:
    """Return the user's directory for cached symbol tables, None where there is no home."""
    place = os.environ.get("XDG_CACHE_HOME", "")
    if place.startswith("/"):
        return Path(place) / "stallscope" / "symbols"
    home = os.environ.get("HOME", "")
    return Path(home) / ".cache/stallscope/symbols" if home.startswith("/") else None
