"""A collector that counts beside other work of this process, for the phases that a load marks.

The load gets one end of a socket, the collector the other. Once the load has ended and this process
has closed its copy, the collector ends its recording by itself.
"""

import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from stallscope.collector import (
    CollectionEnd,
    CollectorEvent,
    CollectorProgress,
    CountOptions,
    Started,
    collection_end,
    collector_arguments,
    read_messages,
)
from stallscope.errors import UnableError
from stallscope.process_end import end_process

START_LIMIT_S = 20.0  # from the collector's start until all counters are open
END_LIMIT_S = 22.0  # from the end of the marks until the recording is closed
_CHUNK_BYTES = 1 << 16


@dataclass(slots=True)
class PhaseCollector:
    """A running collector; the load marks its phases on ``marks``."""

    marks: socket.socket
    process: "subprocess.Popen[bytes]"
    progress: int
    started: bool = False
    last: CollectorEvent | None = None
    end: CollectionEnd | None = None
    rest: bytes = field(default=b"", repr=False)

    def wait_started(self) -> None:
        """Return once all counters are open. Raises the collector's own error if they are not."""
        self._read(START_LIMIT_S, until_started=True)
        if not self.started:
            self._finish()

    def finish(self) -> CollectionEnd:
        """Return how the collection ended, after the loads that know ``marks`` have ended."""
        self.marks.close()
        if self.end is None:
            self._read(END_LIMIT_S, until_started=False)
            self._finish()
        assert self.end is not None
        return self.end

    def _finish(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(END_LIMIT_S)
        code = self.process.returncode
        status = -signal.SIGKILL if code is None else code  # the block's end kills it
        self.end = collection_end(self.last, status, interrupted=False)

    def _note(self, progress: CollectorProgress) -> None:
        self.started |= isinstance(progress, Started)

    def _read(self, limit_s: float, *, until_started: bool) -> None:
        deadline_s = time.monotonic() + limit_s
        while not (until_started and self.started):
            left_s = deadline_s - time.monotonic()
            if left_s <= 0 or not select.select([self.progress], [], [], left_s)[0]:
                raise UnableError(
                    f"stallscope-collect reported nothing for {limit_s:g} s",
                    "reduce the load on this machine and try again",
                )
            chunk = os.read(self.progress, _CHUNK_BYTES)
            if not chunk:
                return
            *lines, self.rest = (self.rest + chunk).split(b"\n")
            self.last = read_messages(lines, self._note) or self.last


MarkSockets = tuple[socket.socket, socket.socket]  # of the load, and of the collector


@contextmanager
def phase_collector(
    options: CountOptions, sockets: MarkSockets | None = None
) -> Iterator[PhaseCollector]:
    """Yield a collector that has opened its counters and waits for marks; end it after the block.

    ``sockets`` are those of a load that runs already; both are closed. Ctrl-C does not reach the
    collector: it ends with the load, or when this process ends.
    """
    marks, collector_marks = sockets or socket.socketpair()
    progress_read, progress_write = os.pipe()
    control_read, control_write = os.pipe()
    options = replace(options, phases=collector_marks.fileno())
    try:
        try:
            process = subprocess.Popen(
                collector_arguments(options, progress_write, control_read),
                pass_fds=(progress_write, control_read, collector_marks.fileno()),
                process_group=0,
            )
        finally:
            collector_marks.close()
            os.close(progress_write)
            os.close(control_read)
        try:
            collector = PhaseCollector(marks, process, progress_read)
            collector.wait_started()
            yield collector
        finally:
            marks.close()
            os.close(control_write)
            end_process(process)
    finally:
        marks.close()
        os.close(progress_read)
