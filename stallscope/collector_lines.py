"""The lines that a collector writes, and its stop after Ctrl-C."""

import os
import select
import time
from collections.abc import Callable, Iterator

from stallscope.errors import UnableError

# A terminal sends Ctrl-C to the collector too. The collector gets this time to receive it, because
# a second request to stop would shorten the end of the recording.
FORWARD_AFTER_S = 0.2
# The collector ends itself 10 s after a request to stop, and waits at most 10 s for a command that
# it has started.
STOP_LIMIT_S = 22.0
_CHUNK_BYTES = 1 << 16
_Actions = list[tuple[float, Callable[[], None]]]  # seconds after the interrupt


class CollectorLines:
    """The lines from ``pipe`` until its other end is closed, as an iterable."""

    def __init__(self, pipe: int, stop: Callable[[], None]) -> None:
        self._pipe = pipe
        self._stop = stop
        self._interrupted = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def close(self) -> None:
        """Close the descriptor for interrupts; the pipe stays open."""
        os.close(self._interrupted)

    def interrupt(self) -> None:
        """Call ``stop`` soon and limit the time until the last line. For signal handlers."""
        os.eventfd_write(self._interrupted, 1)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines; the last one may lack its newline.

        Raises UnableError if the pipe is not closed in time after ``interrupt``.
        """
        rest = b""
        for chunk in self._chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
        if rest:
            yield rest

    def _chunks(self) -> Iterator[bytes]:
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        poll.register(self._interrupted, select.POLLIN)
        actions = [(FORWARD_AFTER_S, self._stop), (STOP_LIMIT_S, _give_up)]
        begin_s: float | None = None
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(_wait_ms(begin_s, actions))}
            if self._interrupted in ready:
                begin_s = time.monotonic()
                poll.unregister(self._interrupted)
            if begin_s is not None and actions and time.monotonic() >= begin_s + actions[0][0]:
                _, action = actions.pop(0)
                action()
            if self._pipe in ready:
                if not (chunk := os.read(self._pipe, _CHUNK_BYTES)):
                    return
                yield chunk


def _wait_ms(begin_s: float | None, actions: _Actions) -> float | None:
    """Return the time until the next action; None without one."""
    if begin_s is None or not actions:
        return None
    return max(0.0, begin_s + actions[0][0] - time.monotonic()) * 1e3


def _give_up() -> None:
    raise UnableError(
        f"stallscope-collect did not end within {STOP_LIMIT_S:.0f} s after Ctrl-C",
        "the data written so far are kept: show them with stallscope report",
    )
