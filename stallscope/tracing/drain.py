"""Keeps emptying an instance's buffers into files while something runs."""

import os
import tempfile
import threading
import time
from pathlib import Path
from typing import BinaryIO

from stallscope.tracing.instance import TraceInstance

EVERY_S = 0.25  # four wake-ups a second of one thread are ours
MOST_BYTES = 2**31  # then the buffers fill, and what comes is counted as lost


class Drain:
    """A thread that reads all CPUs' pages into unnamed files in a folder."""

    def __init__(self, instance: TraceInstance, folder: Path) -> None:
        self.page_bytes = instance.page_bytes()
        self.pages: dict[int, BinaryIO] = {}
        self.cpu_s = 0.0
        self.full = False
        self.error: OSError | None = None
        self._bytes = 0
        self._descriptors: dict[int, int] = {}
        self._folder = folder
        self._instance = instance
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trace-drain", daemon=True)

    def start(self) -> None:
        """Open the buffers and begin to read."""
        for cpu in self._instance.cpus():
            self._descriptors[cpu] = self._instance.open_pages(cpu)
            # Kept open beyond this call, by close().
            self.pages[cpu] = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        self._thread.start()

    def finish(self) -> None:
        """Read what is left, and make the pages ready to be read from their beginning."""
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join()
        for file in self.pages.values():
            file.seek(0)

    def close(self) -> None:
        """Close all; the files vanish, and the instance can be removed."""
        self.finish()
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors.clear()
        for file in self.pages.values():
            file.close()

    def _run(self) -> None:
        try:
            while not self._ends.wait(EVERY_S):
                self._read_all()
            self._read_all()
        except OSError as error:  # told by who waits for the end
            self.error = error
        self.cpu_s = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)

    def _read_all(self) -> None:
        for cpu, descriptor in self._descriptors.items():
            while not self.full and (some := read_pages(descriptor, self.page_bytes)):
                self.pages[cpu].write(some)
                self._bytes += len(some)
                self.full = self._bytes >= MOST_BYTES


def read_pages(descriptor: int, page_bytes: int, most: int = 256) -> bytes:
    """Return whole pages that wait in a CPU's buffer, without waiting for more; empty for none."""
    pages: list[bytes] = []
    while len(pages) < most:
        try:
            page = os.read(descriptor, page_bytes)
        except BlockingIOError:
            break
        if not page:
            break
        pages.append(page.ljust(page_bytes, b"\0"))
    return b"".join(pages)
