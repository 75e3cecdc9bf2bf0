"""Pinned runs for measurements: the command's output is discarded, an interruption is raised."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cstates.pinning.request import PinRequest
from cstates.pinning.session import PinContext, PinListener, PinnedRun, run_pinned
from harness.pin.session import check_restored

_INTERRUPTED = tuple(128 + number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


def run_quietly(
    context: PinContext, request: PinRequest, command: Sequence[str], *, listener: PinListener
) -> PinnedRun:
    """Return the result of a run; UnableError if a setting could not be restored.

    Raises KeyboardInterrupt if a signal that asks this process to end ended the command.
    """
    with _stdout_discarded():
        run = run_pinned(context, request, command, allow_partial=False, listener=listener)
    check_restored((run.restored,))
    if run.status in _INTERRUPTED:
        raise KeyboardInterrupt
    return run


@contextmanager
def _stdout_discarded() -> Iterator[None]:
    """Redirect file descriptor 1 to /dev/null, because stdout is for the result."""
    sys.stdout.flush()
    saved = os.dup(1)
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)
