"""Termination by a signal: SIGTERM and SIGHUP unwind the stack like an exception.

Started commands end, temporary directories go and recordings are closed. Then the process dies of
the same signal, so that its parent sees the cause.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class TerminatedError(BaseException):
    """Unwinds the stack after a signal; only clean-up code may run."""


@contextmanager
def terminable() -> Iterator[None]:
    """Run the body; a signal unwinds it and then ends this process.

    A signal that is ignored, as under nohup, stays ignored. Outside the main thread this does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def unwind(number: int, frame: FrameType | None) -> None:
        del frame
        for handled in handled_signals:
            signal.signal(handled, signal.SIG_IGN)  # clean-up runs once, to its end
        received.append(number)
        raise TerminatedError

    handled_signals = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled_signals:
        signal.signal(number, unwind)
    try:
        yield
    finally:
        for number in handled_signals:
            signal.signal(number, signal.SIG_DFL)
        if received:
            os.kill(os.getpid(), received[0])
