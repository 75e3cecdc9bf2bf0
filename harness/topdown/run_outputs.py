"""Where a run puts its recording, its progress and the output of the observed command."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.cli.terminal import LiveLine
from harness.topdown.options import OutputForm, TopdownOptions
from stallscope.collector import CollectorProgress


@contextmanager
def recording_directory(output: Path | None) -> Iterator[Path]:
    """Yield the directory of the recording: the given one, else a temporary one."""
    if output is not None:
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="stallscope-") as folder:
        yield Path(folder) / "recording"


@contextmanager
def live_progress(options: TopdownOptions) -> Iterator[Callable[[CollectorProgress], None]]:
    """Yield a function that shows progress on stderr, if it is a terminal.

    With intervals it shows nothing, because their lines would mix with the progress line.
    """
    line = LiveLine()
    duration_s = options.choice.duration_s if options.choice is not None else None
    silent = options.interval_ms is not None

    def follow(progress: CollectorProgress) -> None:
        end = f" of {duration_s:g} s" if duration_s else " s"
        if progress.kind == "progress" and not silent:
            line.show(f"observing: {progress.seconds:.0f}{end}, Ctrl-C ends it")

    try:
        yield follow
    finally:
        line.clear()


def command_output(form: OutputForm) -> IO[str] | None:
    """Return the output of the observed command: stderr if stdout is a document."""
    return None if form is OutputForm.TEXT else sys.stderr


@contextmanager
def children_to_stderr(form: OutputForm) -> Iterator[None]:
    """Redirect stdout of child processes to stderr within the block, if stdout is a document."""
    if form is OutputForm.TEXT:
        yield
        return
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)
