"""Recording the last seconds before a trigger, once or repeatedly."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import LiveLine, note, printable, report_command, warn
from harness.flight.options import FlightOptions, size_of
from harness.flight.request_trigger import RequestTrigger
from harness.flight.trigger_watch import TriggerWatch
from harness.flight.triggers import SignalTrigger, Trigger, triggers_of
from harness.profile.record_result import FlightRecording, RecordResult
from harness.profile.recorder import copy_process_artifacts
from harness.recordings.settings import keep_settings
from harness.recordings.settings_text import settings_now
from stallscope.collector import (
    CollectionEnd,
    CollectorOptions,
    CollectorProgress,
    Started,
    collect,
)
from stallscope.errors import RecordingError
from stallscope.recordings import Manifest, open_recording


def record_flight(
    options: FlightOptions, command_output: IO[str] | None
) -> tuple[RecordResult, int]:
    """Return the last recording, with a list of all, and the exit code.

    Raises RecordingError if no trigger fired, and errors of the collector and the disk.
    """
    triggers = triggers_of(options.conditions)
    begin_s = time.monotonic()
    written: list[FlightRecording] = []
    result: RecordResult | None = None
    bytes_written, code = 0, 0
    with ExitStack() as stack:
        for trigger in triggers:
            stack.callback(trigger.close)
            trigger.open()
        stack.enter_context(_on_signal(triggers))
        for number in range(1, options.repeat + 1):
            left_s = _left_s(options, begin_s)
            if left_s is not None and left_s <= 0:
                break
            pause_s = options.cool_down_s if number > 1 else 0.0
            wait = _Wait(options, options.collector_for(number, left_s), triggers, pause_s)
            end = wait.run(command_output)
            if end.reason not in options.ends:
                break
            manifest = wait.keep()
            written.append(_flight_recording(wait.collector, manifest))
            result = _result(wait.collector, manifest, tuple(written))
            explain(manifest, end)
            code = exit_code(manifest, end)
            bytes_written += size_of(wait.collector.output)
            if end.reason != "stopped" or end.interrupted:
                break
            if options.max_total_bytes is not None and bytes_written >= options.max_total_bytes:
                note("the recordings have their maximum size (--max-size)")
                break
    if result is None:
        raise RecordingError(
            f"no trigger fired within {clock_text(time.monotonic() - begin_s)}: nothing was "
            "written",
            "lower the threshold, or write the last seconds at every end with --on end",
        )
    return result, code


def clock_text(seconds: float) -> str:
    """Return a time as hours, minutes and seconds, such as 00:12:40."""
    whole = max(0, int(seconds))
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


class _Wait:
    """One run of the collector, until a trigger or the end."""

    def __init__(
        self,
        options: FlightOptions,
        collector: CollectorOptions,
        triggers: list[Trigger],
        pause_s: float,
    ) -> None:
        self.collector = collector
        self._triggers = triggers
        self._watch = TriggerWatch(triggers, after_s=options.after_s, pause_s=pause_s)
        self._line = LiveLine()
        self._conditions = [condition.text for condition in options.conditions]
        self._pids = collector.pids
        self._settings = settings_now()

    def run(self, command_output: IO[str] | None) -> CollectionEnd:
        try:
            return collect(self.collector, self._update, command_output, beside=self._watch.beside)
        finally:
            self._line.clear()
            self._watch.close()

    def keep(self) -> Manifest:
        """Complete the recording with files of the processes."""
        if not self.collector.command:
            copy_process_artifacts(self._pids, self.collector)
        keep_settings(self.collector.output, self._settings)
        recording = open_recording(self.collector.output)
        manifest = recording.manifest
        assert manifest is not None
        if manifest.flight is not None:
            note(printable(manifest.flight.describe(manifest.end_ns or 0)))
        note(f"{manifest.samples:,} samples: {report_command(recording.path)}")
        return manifest

    def _update(self, progress: CollectorProgress) -> None:
        if isinstance(progress, Started):
            self._pids = progress.pids or self.collector.pids
            if progress.stacks.text:
                note(f"stacks: {printable(progress.stacks.text)}")
            for trigger in self._triggers:
                if isinstance(trigger, RequestTrigger):
                    trigger.begin()
            self._watch.start()
            states = [state for trigger in self._triggers if (state := trigger.state())]
            values = f" ({', '.join(states)})" if states else ""
            note(f"waiting for {' or '.join(self._conditions)}{values}")
        requests = [trigger for trigger in self._triggers if isinstance(trigger, RequestTrigger)]
        for place, trigger in enumerate(requests, 1):
            trigger.add(progress.requests, place)
        for text in progress.warning_texts:
            warn(text)
        if progress.kind != "finished" and sys.stderr.isatty():
            self._line.show(self._progress_text(progress.seconds))

    def _progress_text(self, seconds: float) -> str:
        if self._watch.fired is not None:
            return f"{self._watch.fired}: recording what follows"
        parts = []
        for trigger in self._triggers:
            state = trigger.state()
            parts.append(f"{trigger.text} ({state})" if state else trigger.text)
        named = " or ".join(parts or self._conditions)
        return f"waiting for {named}, {clock_text(seconds)}"


@contextmanager
def _on_signal(triggers: list[Trigger]) -> Iterator[None]:
    """Pass SIGUSR1 to its trigger in the block."""
    receivers = [trigger for trigger in triggers if isinstance(trigger, SignalTrigger)]
    if not receivers:
        yield
        return

    def receive(number: int, frame: object) -> None:
        del number, frame
        for trigger in receivers:
            trigger.fire()

    previous = signal.signal(signal.SIGUSR1, receive)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, previous)


def _left_s(options: FlightOptions, begin_s: float) -> float | None:
    if options.collector.duration_s is None:
        return None
    return options.collector.duration_s - (time.monotonic() - begin_s)


def _flight_recording(collector: CollectorOptions, manifest: Manifest) -> FlightRecording:
    flight = manifest.flight
    trigger = None if flight is None else flight.trigger
    return FlightRecording(
        recording=os.fspath(collector.output),
        trigger=None if trigger is None else trigger.text,
        trigger_ns=None if trigger is None else trigger.monotonic_ns,
        from_ns=manifest.start_ns,
        samples=manifest.samples,
        overwritten_samples=0 if flight is None else flight.overwritten_samples,
    )


def _result(
    collector: CollectorOptions,
    manifest: Manifest,
    written: tuple[FlightRecording, ...],
) -> RecordResult:
    return RecordResult(
        recording=os.fspath(collector.output),
        samples=manifest.samples,
        lost=manifest.lost_samples,
        complete=manifest.complete,
        end=manifest.end_reason,
        target_status=manifest.target_status or None,
        flight=written,
    )
