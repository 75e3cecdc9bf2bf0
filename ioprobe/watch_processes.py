"""Which process a thread is of, as far as /proc still tells when its requests complete."""

from dataclasses import dataclass, field
from pathlib import Path

from stallscope.system_files import read_text

MOST_KNOWN = 65_536


@dataclass(frozen=True, slots=True)
class Process:
    """A process; pid 0 is nobody that could be named."""

    pid: int
    name: str


UNKNOWN = Process(0, "")


@dataclass(slots=True)
class Processes:
    """Answers by thread and its name, remembered: numbers are used again for other threads."""

    proc: Path = Path("/proc")
    _known: dict[tuple[int, bytes], Process] = field(default_factory=dict)

    def of(self, tid: int, name: bytes) -> Process:
        """Return the process of a thread; the thread itself where it ended before it was asked."""
        if tid <= 0:
            return UNKNOWN
        found = self._known.get((tid, name))
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[tid, name] = self._ask(tid, name)
        return found

    def _ask(self, tid: int, name: bytes) -> Process:
        own = name.decode("utf-8", "replace")
        status = read_text(self.proc / str(tid) / "status", 4096) or ""
        lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        group = lines.get("Tgid", "").strip()
        if not group.isdecimal() or int(group) == tid:
            return Process(tid, own)
        return Process(int(group), read_text(self.proc / group / "comm", 64) or own)
