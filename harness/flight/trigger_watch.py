"""The thread that checks triggers while a collector runs, and stops the collector."""

import os
import select
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO

from harness.flight.triggers import Trigger
from stallscope.printable import printable

# A line of the control stream has at most 256 bytes.
_MAX_TEXT_BYTES = 160


class TriggerWatch:
    """Checks triggers from ``start`` on; the first that fires stops the collector.

    ``after_s``: time from the trigger to the stop. ``pause_s``: time before the first check.
    """

    def __init__(self, triggers: Sequence[Trigger], *, after_s: float, pause_s: float = 0) -> None:
        self._triggers = triggers
        self._after_s = after_s
        self._pause_s = pause_s
        self._end = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._control: BinaryIO | None = None
        self._thread = threading.Thread(target=self._watch, name="triggers", daemon=True)
        self.fired: str | None = None

    @contextmanager
    def beside(self, control: BinaryIO) -> Iterator[None]:
        """Run the block, and end the thread after it."""
        self._control = control
        try:
            yield
        finally:
            os.eventfd_write(self._end, 1)
            if self._thread.ident is not None:
                self._thread.join()

    def start(self) -> None:
        """Begin to check; call once, when the collector records."""
        self._thread.start()

    def close(self) -> None:
        """Close the descriptor, after the block of ``beside``."""
        os.close(self._end)

    def _watch(self) -> None:
        if self._ended_within(self._pause_s):
            return
        text = self._wait()
        if text is None:
            return
        self.fired = text
        self._write(f"trigger {time.monotonic_ns()} {_line(text)}\n")
        if not self._ended_within(self._after_s):
            self._write("stop\n")

    def _wait(self) -> str | None:
        """Return what happened; None if the collection ended first."""
        poll = select.poll()
        poll.register(self._end, select.POLLIN)
        ready_triggers: dict[int, Trigger] = {}
        for trigger in self._triggers:
            if trigger.descriptor is not None:
                ready_triggers[trigger.descriptor] = trigger
                poll.register(trigger.descriptor, trigger.ready_event)
        due_s = {
            index: time.monotonic()
            for index, trigger in enumerate(self._triggers)
            if trigger.interval_s is not None
        }
        while True:
            wait_s = min(due_s.values()) - time.monotonic() if due_s else None
            events = poll.poll(None if wait_s is None else max(0.0, wait_s) * 1e3)
            ready = {descriptor for descriptor, _ in events}
            if self._end in ready:
                return None
            for descriptor, event in events:
                if event & (select.POLLERR | select.POLLNVAL):
                    poll.unregister(descriptor)  # the kernel ended it, and poll would not wait
                elif text := ready_triggers[descriptor].check():
                    return text
            for index in [index for index, at_s in due_s.items() if at_s <= time.monotonic()]:
                trigger = self._triggers[index]
                if text := trigger.check():
                    return text
                due_s[index] = time.monotonic() + (trigger.interval_s or 1.0)

    def _ended_within(self, seconds: float) -> bool:
        return seconds > 0 and bool(select.select([self._end], [], [], seconds)[0])

    def _write(self, line: str) -> None:
        # Ctrl-C closes the stream; the end of the collector breaks it.
        with suppress(OSError, ValueError):
            assert self._control is not None
            self._control.write(line.encode())
            self._control.flush()


def _line(text: str) -> str:
    return printable(text).encode()[:_MAX_TEXT_BYTES].decode("utf-8", "ignore")
