"""Where a measurement of slots leaves its recording, its progress and the command's own output."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.cli.terminal import LiveLine
from harness.topdown.request import Form, Request
from stallscope.collector import CollectorProgress


@contextmanager
def recording_place(output: Path | None) -> Iterator[Path]:
    """Yield the directory to record into: the one asked for, else one that ends with the block."""
    if output is not None:
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
        yield Path(folder) / "recording"


@contextmanager
def live_progress(asked: Request) -> Iterator[Callable[[CollectorProgress], None]]:
    """Yield a function that shows progress on a line of stderr, where that is a terminal.

    Not where intervals stand on lines of their own: both would be written over each other.
    """
    line = LiveLine()
    duration_s = asked.choice.duration_s if asked.choice is not None else None
    silent = asked.interval_ms is not None

    def follow(progress: CollectorProgress) -> None:
        end = f" of {duration_s:g} s" if duration_s else " s"
        if progress.kind == "progress" and not silent:
            line.show(f"observing: {progress.seconds:.0f}{end}, Ctrl-C ends it")

    try:
        yield follow
    finally:
        line.clear()


def command_output(form: Form) -> IO[str] | None:
    """Return where the observed command's own output goes: not into a document."""
    return None if form is Form.TEXT else sys.stderr


@contextmanager
def own_output(form: Form) -> Iterator[None]:
    """Let the block's children write to stderr where a document is to stand on stdout."""
    if form is Form.TEXT:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
