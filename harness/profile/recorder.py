"""Recording: runs the collector, shows its progress, keeps what the target's end would take."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.cli.terminal import LiveLine, note, printable, report_command, warn
from harness.recordings.settings import keep_settings
from harness.recordings.settings_text import settings_now
from stallscope.collector import CollectorOptions, Outcome, Progress, collect
from stallscope.errors import UnableError
from stallscope.recordings import MANIFEST, Recording, open_recording
from topdown.stacks.symbols.process_artifacts import (
    copy_artifacts,
    copy_leftover_jit_maps,
    remove_artifacts,
)
from topdown.stacks.symbols.system_images import copy_vdso


class _Watcher:
    """Follows one collection: the live line, the warnings, and the perishables at its start."""

    def __init__(self, options: CollectorOptions, *, warns: bool) -> None:
        self._options = options
        self._warns = warns
        self._line = LiveLine()
        self.pids = options.pids

    def follow(self, progress: Progress) -> None:
        if progress.kind == "started":
            self.pids = progress.pids or self._options.pids
            if progress.stacks:
                note(f"stacks: {printable(progress.stacks)}")
            if self._options.force:
                _remove_old_artifacts(self._options.output)
            copy_process_artifacts(self.pids, self._options)
        if progress.kind == "finished":
            self._line.clear()
        for warning in progress.warnings if self._warns else ():
            warn(warning)
        if progress.kind != "finished":
            limit = self._options.duration_s
            end = f" of {limit:g} s (Ctrl-C ends it earlier)" if limit else " s, Ctrl-C to end"
            self._line.show(
                f"recording: {progress.seconds:.0f}{end}, "
                f"{progress.samples:,} samples, {progress.lost:,} lost"
            )

    def close(self) -> None:
        self._line.clear()


@contextmanager
def interrupted_once(options: CollectorOptions) -> Iterator[None]:
    """Let an interrupt end the block for good, and say where the recording is, if there is one."""
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the way out is taken once
        if (options.output / MANIFEST).exists():
            note(f"the recording is kept: {report_command(options.output)}")
        raise


def record(
    options: CollectorOptions, command_output: IO[str] | None = None, *, warns: bool = False
) -> tuple[Recording, Outcome]:
    """Return the closed recording and how it ended; raises what the collector and disk raise.

    ``warns``: say the collector's warnings as they come, where no summary follows that holds them.
    """
    watcher = _Watcher(options, warns=warns)
    began_s = time.time()
    before = settings_now()
    try:
        outcome = collect(options, watcher.follow, command_output)
    finally:
        watcher.close()
    if options.command:
        _copy_leftover_jit_maps(options, began_s)
    else:
        copy_process_artifacts(watcher.pids, options)
    keep_settings(options.output, before)
    return open_recording(options.output), outcome


def _remove_old_artifacts(directory: Path) -> None:
    """Remove what a replaced recording kept; UnableError if that stays, and would misname."""
    try:
        remove_artifacts(directory)
    except OSError as error:
        raise UnableError(
            f"what an earlier recording kept in {directory} cannot be removed: {error}",
            "name another directory with -o",
        ) from error


def _copy_leftover_jit_maps(options: CollectorOptions, began_s: float) -> None:
    try:
        copy_leftover_jit_maps(options.output, began_s)
    except OSError as error:
        warn(f"maps of compiled code could not be kept: {error.strerror}")


def copy_process_artifacts(pids: tuple[int, ...], options: CollectorOptions) -> None:
    """Copy into the recording what ends with the processes; says what could not be kept."""
    try:
        copy_vdso(options.output)
        problems = copy_artifacts(pids, options.output)
    except OSError as error:
        warn(f"binaries that end with the process could not be kept: {error.strerror}")
        return
    for problem in problems:
        warn(problem.message)
