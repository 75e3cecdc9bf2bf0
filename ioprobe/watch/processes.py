"""The process of a thread: from /proc, or from the kernel's record if the thread has ended.

With the trace option record-tgid the kernel saves the process of each thread that causes an event
(kernel/trace/trace_sched_switch.c). It is needed because requests are read some time after their
events.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.system_files import read_text

MAX_CACHED = 65_536
_MAX_FILE_BYTES = 2**26  # of saved_tgids: about 16 bytes for each of four million threads
_MAX_AGE_S = 1.0  # of the saved_tgids content in use, because thread numbers are reused


@dataclass(frozen=True, slots=True)
class Process:
    """A process; pid 0 if it is unknown."""

    pid: int
    name: str


UNKNOWN = Process(0, "")


@dataclass(slots=True)
class ProcessTable:
    """Processes by thread, cached by number and name because numbers are reused."""

    proc: Path = Path("/proc")
    saved_tgids: Path | None = None  # the kernel's file
    _tgids: dict[int, int] = field(default_factory=dict)
    _tgids_read_s: float = 0.0
    _cache: dict[tuple[int, bytes], Process] = field(default_factory=dict)

    def process_of(self, tid: int, name: bytes) -> Process:
        """Return the process of a thread; the thread itself if its process is unknown."""
        if tid <= 0:
            return UNKNOWN
        process = self._cache.get((tid, name))
        if process is None:
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            process = self._cache[tid, name] = self._look_up(tid, name)
        return process

    def _look_up(self, tid: int, name: bytes) -> Process:
        thread_name = name.decode("utf-8", "replace")
        pid = self._pid(tid)
        if pid == tid:
            return Process(tid, thread_name)
        return Process(pid, read_text(self.proc / str(pid) / "comm", 64) or thread_name)

    def _pid(self, tid: int) -> int:
        status = read_text(self.proc / str(tid) / "status", 4096) or ""
        lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        tgid = lines.get("Tgid", "").strip()
        return int(tgid) if tgid.isdecimal() else self._saved_pid(tid)

    def _saved_pid(self, tid: int) -> int:
        if self.saved_tgids is None:
            return tid
        now_s = time.monotonic()
        if tid not in self._tgids or now_s - self._tgids_read_s > _MAX_AGE_S:
            self._tgids, self._tgids_read_s = _read_tgids(self.saved_tgids), now_s
        return self._tgids.get(tid, tid)


def _read_tgids(path: Path) -> dict[int, int]:
    """Return processes by thread; each line has both numbers, usually in thousands of lines."""
    lines = (line.split() for line in (read_text(path, _MAX_FILE_BYTES) or "").splitlines())
    return {
        int(words[0]): int(words[1])
        for words in lines
        if len(words) == 2 and words[0].isdecimal() and words[1].isdecimal() and int(words[1]) > 0
    }
