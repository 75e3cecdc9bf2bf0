"""CPU time and memory of this process, the collector and its helpers.

The CPU time that sampling costs in the kernel passes in the target's threads, where no counter
separates it. It is modelled: SAMPLE_COST_S per sample.
"""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from harness.workload.server import process_cpu_s
from stallscope.errors import TargetError

# Upper end of what `./dev bench record_cost` shows at 999 Hz on virtual machines (2 % of a thread);
# machines with a PMU need a tenth of it.
SAMPLE_COST_S = 20e-6


class RecorderMeter:
    """Measures since the start of this process; ``proc``: the root of procfs."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._largest_cpu_s = 0.0
        self.memory_bytes = 0  # the largest reading

    def cpu_s(self) -> float:
        """Return the CPU time so far, which never decreases.

        That of a helper counts while it runs, and again once its parent has waited for it.
        """
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        used_s = time.process_time() + ended.ru_utime + ended.ru_stime
        used_s += self.helpers_cpu_s()
        self._largest_cpu_s = max(self._largest_cpu_s, used_s)
        return self._largest_cpu_s

    def helpers_cpu_s(self) -> float:
        """Return the CPU time of the collector and its helpers that run now."""
        return sum(_process_cpu_s(pid) for pid in self.descendants())

    def read_memory(self) -> int:
        """Return the memory of all processes now, shared pages divided among their users."""
        pids = (os.getpid(), *self.descendants())
        memory_bytes = sum(self._memory_bytes(pid) for pid in pids)
        self.memory_bytes = max(self.memory_bytes, memory_bytes)
        return memory_bytes

    def descendants(self) -> tuple[int, ...]:
        """Return the processes that this one has started, directly or indirectly."""
        return tuple(self._children(os.getpid()))

    def _children(self, pid: int) -> Iterator[int]:
        # A process that ends meanwhile is left out.
        with suppress(OSError, ValueError):
            for task in (self._proc / str(pid) / "task").iterdir():
                for word in (task / "children").read_text().split():
                    yield int(word)
                    yield from self._children(int(word))

    def _memory_bytes(self, pid: int) -> int:
        with suppress(OSError, ValueError):
            for line in (self._proc / str(pid) / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) << 10
        return 0


def _process_cpu_s(pid: int) -> float:
    """Return the CPU time of a process in seconds; 0 if it has ended."""
    with suppress(TargetError):
        return process_cpu_s(pid)
    return 0.0
