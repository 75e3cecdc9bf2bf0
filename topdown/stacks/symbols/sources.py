"""Sources of symbols: the recording, the live system, debug directories, the cache."""

from pathlib import Path

from msgspec import Struct, field

from stallscope.private_directory import cache_directory
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits


class SymbolSources(Struct, frozen=True):
    """Paths that are searched for symbols; all are passed in, so that tests can replace them.

    ``recording``: directory with ``binaries/``, ``jit/`` and ``kallsyms``.
    ``boot_id``: boot of the recording; live processes and the live kernel are used only if the
    system has not been booted since.
    ``recorded_ns``: end of the recording on the wall clock; a file without a build id that was
    changed later is not the recorded file.
    ``limits``: of reading one file; ``budget``: of reading all files.
    """

    recording: Path | None = None
    boot_id: str | None = None
    recorded_ns: int | None = None
    proc: Path = Path("/proc")
    debug_directories: tuple[bytes, ...] = (b"/usr/lib/debug",)
    cache_directory: Path | None = None
    source_map: tuple[tuple[str, str], ...] = ()  # (prefix of a source path, its replacement)
    limits: ReadingLimits = field(default_factory=ReadingLimits)
    budget: ReadingBudget = field(default_factory=ReadingBudget)

    def source_path(self, path: str) -> str:
        """Return a source path with the longest mapped prefix replaced, at whole names."""
        matches = [
            (old, new)
            for old, new in self.source_map
            if path == old or path.startswith(old.rstrip("/") + "/")
        ]
        if not matches:
            return path
        old, new = max(matches, key=lambda pair: len(pair[0]))
        return new.rstrip("/") + path[len(old.rstrip("/")) :]

    def same_boot(self) -> bool:
        """Return whether the recording was made during the current boot of this system."""
        if not self.boot_id:
            return False
        try:
            live = (self.proc / "sys/kernel/random/boot_id").read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return False
        return live.strip() == self.boot_id.strip()


def default_cache_directory() -> Path | None:
    """Return the user's directory for cached symbol tables, None without a home directory."""
    return cache_directory("symbols")
