"""Which process a thread is of: by /proc, and of one that has ended by what the kernel kept.

The trace option record-tgid has it keep the process of each thread that an event came from
(kernel/trace/trace_sched_switch.c): /proc is asked when requests are read, a while later.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.system_files import read_text

MOST_KNOWN = 65_536
_MOST_KEPT = 2**26  # bytes of the kernel's file: some 16 for each of four million threads
_KEPT_S = 1.0  # what was read from it holds so long: numbers are used again


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
    kept: Path | None = None  # the kernel's file saved_tgids
    _kept_groups: dict[int, int] = field(default_factory=dict)
    _kept_at_s: float = 0.0
    _known: dict[tuple[int, bytes], Process] = field(default_factory=dict)

    def of(self, tid: int, name: bytes) -> Process:
        """Return the process of a thread; the thread itself where nobody knows any more."""
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
        group = self._group(tid)
        if group == tid:
            return Process(tid, own)
        return Process(group, read_text(self.proc / str(group) / "comm", 64) or own)

    def _group(self, tid: int) -> int:
        status = read_text(self.proc / str(tid) / "status", 4096) or ""
        lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        group = lines.get("Tgid", "").strip()
        return int(group) if group.isdecimal() else self._kept_group(tid)

    def _kept_group(self, tid: int) -> int:
        if self.kept is None:
            return tid
        now_s = time.monotonic()
        if tid not in self._kept_groups or now_s - self._kept_at_s > _KEPT_S:
            self._kept_groups, self._kept_at_s = _read_kept(self.kept), now_s
        return self._kept_groups.get(tid, tid)


def _read_kept(path: Path) -> dict[int, int]:
    """Return processes by thread: a line has both, thousands of lines are usual."""
    words = (line.split() for line in (read_text(path, _MOST_KEPT) or "").splitlines())
    return {
        int(each[0]): int(each[1])
        for each in words
        if len(each) == 2 and each[0].isdecimal() and each[1].isdecimal() and int(each[1]) > 0
    }
