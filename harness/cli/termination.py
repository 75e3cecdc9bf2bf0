"""Ending by a signal: SIGTERM and SIGHUP unwind as an exception does, so that all is put away.

Commands that were started end, temporary folders go, recordings close; then the process dies of
the same signal, so that who started it sees why.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class TerminatedError(BaseException):
    """No error of ours: nothing may catch and outlive it but what puts away."""


@contextmanager
def terminable() -> Iterator[None]:
    """Run the body; a signal in it unwinds it and then ends this process.

    Signals that are ignored already, as under nohup, stay so. Off the main thread nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []

    def unwind(number: int, frame: FrameType | None) -> None:
        del frame
        for each in ours:
            signal.signal(each, signal.SIG_IGN)  # putting away is done once, to its end
        caught.append(number)
        raise TerminatedError

    ours = [each for each in _SIGNALS if signal.getsignal(each) is signal.SIG_DFL]
    for each in ours:
        signal.signal(each, unwind)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)
        if caught:
            os.kill(os.getpid(), caught[0])
