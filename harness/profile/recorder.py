"""Recording with the collector: live progress, warnings and copies of process artifacts."""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Protocol

from harness.cli.terminal import LiveLine, note, printable, report_command, warn
from harness.recordings.settings import keep_settings
from harness.recordings.settings_text import settings_now
from stallscope.collector import (
    CollectionEnd,
    CollectorOptions,
    CollectorProgress,
    Started,
    collect,
)
from stallscope.errors import UnableError
from stallscope.recordings import MANIFEST, Recording, open_recording
from topdown.stacks.symbols.process_artifacts import (
    copy_artifacts_limited,
    copy_leftover_jit_maps,
    remove_artifacts,
)
from topdown.stacks.symbols.vdso import copy_vdso


class Companion(Protocol):
    """Another measurement of the target, beside the collector.

    It starts once the recording's directory exists, and stops after the collector, also if that
    failed or was never started.
    """

    def start(self, pids: tuple[int, ...]) -> None:
        """Start to measure the processes of the target."""

    def stop(self) -> None:
        """Stop, and wait until everything is written."""


class _ProgressDisplay:
    """Shows the progress of a collection, and copies process artifacts when it starts."""

    def __init__(
        self,
        options: CollectorOptions,
        companions: Sequence[Companion],
        *,
        print_warnings: bool,
    ) -> None:
        self._options = options
        self._companions = companions
        self._print_warnings = print_warnings
        self._line = LiveLine()
        self.pids = options.pids

    def update(self, progress: CollectorProgress) -> None:
        if isinstance(progress, Started):
            self.pids = progress.pids or self._options.pids
            for companion in self._companions:
                companion.start(self.pids)
            if progress.stacks.text:
                note(f"stacks: {printable(progress.stacks.text)}")
            if self._options.force:
                _remove_old_artifacts(self._options)
            copy_process_artifacts(self.pids, self._options)
        if progress.kind == "finished":
            self._line.clear()
        for text in progress.warning_texts if self._print_warnings else ():
            warn(text)
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
    """On an interrupt, print where the recording is, if there is one, and end the block."""
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a third interrupt would cut the message
        if (options.output / MANIFEST).exists():
            note(f"the recording is kept: {report_command(options.output)}")
        raise


def record(
    options: CollectorOptions,
    command_output: IO[str] | None = None,
    *,
    print_warnings: bool = False,
    companions: Sequence[Companion] = (),
) -> tuple[Recording, CollectionEnd]:
    """Return the closed recording and how it ended; raises errors of the collector and the disk.

    ``print_warnings``: print the collector's warnings at once, if no summary with them follows.
    ``companions`` measure the same target meanwhile.
    """
    display = _ProgressDisplay(options, companions, print_warnings=print_warnings)
    start_s = time.time()
    settings_before = settings_now()
    try:
        end = collect(options, display.update, command_output)
    finally:
        for companion in companions:
            companion.stop()
        display.close()
    if options.command:
        _copy_leftover_jit_maps(options, start_s)
    else:
        copy_process_artifacts(display.pids, options)
    keep_settings(options.output, settings_before)
    return open_recording(options.output), end


def _remove_old_artifacts(options: CollectorOptions) -> None:
    """Remove artifacts of a replaced recording; they would give wrong names."""
    try:
        remove_artifacts(options.output)
    except OSError as error:
        raise UnableError(
            f"cannot remove files of an earlier recording in {options.output}: {error}",
            "name another directory with -o",
        ) from error


def _copy_leftover_jit_maps(options: CollectorOptions, start_s: float) -> None:
    try:
        warnings = copy_leftover_jit_maps(options.output, start_s)
    except OSError as error:
        warn(f"symbol maps of JIT-compiled code could not be copied: {error.strerror}")
        return
    for warning in warnings:
        warn(warning.message)


def copy_process_artifacts(pids: tuple[int, ...], options: CollectorOptions) -> None:
    """Copy files that disappear with the processes into the recording; warn about missing ones."""
    try:
        copy_vdso(options.output)
        warnings = copy_artifacts_limited(pids, options.output)
    except OSError as error:
        warn(f"binaries that disappear with the process could not be copied: {error.strerror}")
        return
    for warning in warnings:
        warn(warning.message)
