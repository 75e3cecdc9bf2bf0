"""Ctrl-C that ends a measurement in order the first time, and gives it up the second time."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Interrupts:
    """Counts Ctrl-C while a program that was started ends by itself."""

    on_first: Callable[[], None]
    count: int = 0
    patience: int = 2

    def note(self, signal_number: int, frame: object) -> None:
        """Count one; raises KeyboardInterrupt when patience is at its end."""
        del signal_number, frame
        self.count += 1
        if self.count >= self.patience:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the way out is taken once
            raise KeyboardInterrupt
        self.on_first()


def _nothing() -> None:
    """The program is in our foreground group, and has the signal from the terminal itself."""


@contextmanager
def ctrl_c_counted(on_first: Callable[[], None] = _nothing) -> Iterator[Interrupts]:
    """Yield the count of Ctrl-C in the block; a second one raises KeyboardInterrupt.

    Off the main thread, which alone is told of signals, nothing changes.
    """
    interrupts = Interrupts(on_first)
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    previous = signal.signal(signal.SIGINT, interrupts.note)
    try:
        yield interrupts
    finally:
        if interrupts.count < interrupts.patience:
            signal.signal(signal.SIGINT, previous)
