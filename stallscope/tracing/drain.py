"""A thread that copies the trace buffers of an instance into files."""

import os
import tempfile
import threading
import time
from pathlib import Path
from typing import BinaryIO

from stallscope.tracing.instance import TraceInstance

PERIOD_S = 0.25  # its four wake-ups per second appear in idle recordings
MAX_BYTES = 2**31  # after that the buffers fill up and the kernel counts losses


class Drain:
    """Reads the pages of all CPUs into unnamed files in a folder."""

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
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trace-drain", daemon=True)

    def start(self) -> None:
        """Open the buffers and start to read."""
        for cpu in self._instance.cpus():
            self._descriptors[cpu] = self._instance.open_pages(cpu)
            # closed by close()
            self.pages[cpu] = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        self._thread.start()

    def finish(self) -> None:
        """Read the rest, stop the thread and rewind the files."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        for file in self.pages.values():
            file.seek(0)

    def close(self) -> None:
        """Close the buffers and the files; the instance can then be removed."""
        self.finish()
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors.clear()
        for file in self.pages.values():
            file.close()

    def _run(self) -> None:
        try:
            while not self._stop.wait(PERIOD_S):
                self._read_all()
            self._read_all()
        except OSError as error:  # reported by the owner of the thread
            self.error = error
        self.cpu_s = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)

    def _read_all(self) -> None:
        for cpu, descriptor in self._descriptors.items():
            while not self.full and (pages := read_pages(descriptor, self.page_bytes)):
                self.pages[cpu].write(pages)
                self._bytes += len(pages)
                self.full = self._bytes >= MAX_BYTES


def read_pages(descriptor: int, page_bytes: int, max_pages: int = 256) -> bytes:
    """Return the pages in the buffer of a CPU without blocking; empty if there are none."""
    pages: list[bytes] = []
    while len(pages) < max_pages:
        try:
            page = os.read(descriptor, page_bytes)
        except BlockingIOError:
            break
        if not page:
            break
        pages.append(page.ljust(page_bytes, b"\0"))
    return b"".join(pages)
