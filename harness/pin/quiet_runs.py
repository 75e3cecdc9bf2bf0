"""A command run pinned to be measured: its output is discarded, an interruption is heard."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cstates.pinning.request import PinRequest
from cstates.pinning.session import Listener, Place, RunResult, run_pinned
from harness.pin.session import check_put_back

_INTERRUPTIONS = tuple(128 + each for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


def run_quietly(
    place: Place, request: PinRequest, words: Sequence[str], *, to: Listener
) -> RunResult:
    """Return what came of a run; all is put back, or UnableError says what is not.

    Raises KeyboardInterrupt where a signal that asks us to end ended the command.
    """
    with _stdout_discarded():
        result = run_pinned(place, request, words, allow_partial=False, to=to)
    check_put_back((result.restored,))
    if result.status in _INTERRUPTIONS:
        raise KeyboardInterrupt
    return result


@contextmanager
def _stdout_discarded() -> Iterator[None]:
    """Let what runs write to /dev/null instead of our standard output, which tells the result."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
