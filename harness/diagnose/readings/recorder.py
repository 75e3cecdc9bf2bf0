"""Reads the kernel's counters in a thread while the collector records a target.

The interval between two readings grows with the recording and with the time that a reading takes,
so that a day has about 12,000 readings, and readings take at most 1 % of a CPU.
"""

import threading
import time
from pathlib import Path

from msgspec import structs

from harness.diagnose.readings.file import ReadingsWriter
from harness.diagnose.readings.reading import ReadingsHeader
from harness.diagnose.readings.sources import read_reading
from stallscope.system_files import Roots

INTERVAL_S = 0.5
READINGS_PER_DOUBLING = 2000  # the interval is at least this part of the time since the start
LARGEST_COST = 0.01  # of a CPU
FULL_INTERVAL_S = 2.0  # between readings with sleep states and frequencies


class ReadingsRecorder:
    """Appends readings to a recording from start() to stop(). ``failure``: why it ended early."""

    def __init__(
        self,
        recording: Path,
        header: ReadingsHeader,
        roots: Roots = Roots(),  # noqa: B008 - immutable
    ) -> None:
        """Prepare a recorder; the recording's directory exists when start() is called."""
        self.cpu_s = 0.0
        self.failure = ""
        self._recording, self._header, self._roots = recording, header, roots
        self._pids: tuple[int, ...] = ()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, pids: tuple[int, ...]) -> None:
        """Start to read; ``pids`` are the processes of the target."""
        if self._thread is None:
            self._pids = pids
            self._thread = threading.Thread(target=self._run, name="readings", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End with a last reading."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            header = structs.replace(self._header, target_pids=self._pids)
            writer = ReadingsWriter(self._recording, header)
            try:
                self._read_until_end(writer)
            finally:
                writer.close()
        except OSError as error:
            self.failure = f"the kernel's counters could not be recorded: {error.strerror}"
        self.cpu_s = time.thread_time()

    def _read_until_end(self, writer: ReadingsWriter) -> None:
        start_s = time.monotonic()
        next_full_s = start_s
        is_last = False
        while True:
            begin_s, begin_cpu_s = time.monotonic(), time.thread_time()
            is_full = is_last or begin_s >= next_full_s
            writer.add(read_reading(self._roots, self._pids, with_cpus=is_full))
            if is_last:
                return
            cost_s = time.thread_time() - begin_cpu_s
            if is_full:
                next_full_s = begin_s + max(FULL_INTERVAL_S, cost_s / LARGEST_COST)
            elapsed_s = begin_s - start_s
            pause_s = max(INTERVAL_S, elapsed_s / READINGS_PER_DOUBLING, cost_s / LARGEST_COST)
            is_last = self._end.wait(pause_s)
