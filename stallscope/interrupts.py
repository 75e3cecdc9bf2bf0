"""Ctrl-C during a measurement: the first one ends it cleanly, the second one aborts it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Interrupts:
    """Count of Ctrl-C while a program ends on its own."""

    on_first: Callable[[], None]
    count: int = 0
    limit: int = 2

    def record(self, signal_number: int, frame: object) -> None:
        """Count one Ctrl-C; KeyboardInterrupt at the limit."""
        del signal_number, frame
        self.count += 1
        if self.count >= self.limit:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a third one must not disturb clean-up
            raise KeyboardInterrupt
        self.on_first()


def _do_nothing() -> None:
    """The program is in the foreground process group and gets the signal from the terminal."""


@contextmanager
def count_interrupts(on_first: Callable[[], None] = _do_nothing) -> Iterator[Interrupts]:
    """Yield the count of Ctrl-C in the block; a second one raises KeyboardInterrupt.

    Outside the main thread this does nothing, because Python delivers signals to that thread only.
    """
    interrupts = Interrupts(on_first)
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    previous = signal.signal(signal.SIGINT, interrupts.record)
    try:
        yield interrupts
    finally:
        if interrupts.count < interrupts.limit:
            signal.signal(signal.SIGINT, previous)
