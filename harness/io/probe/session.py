"""A run of `stallscope io probe`: opens the target, measures, records and prints."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from harness.cli.terminal import LiveLine, width
from harness.io.probe.options import (
    CACHED_BYTES,
    LOGS,
    MAX_BUSY_S,
    NAMES,
    ProbeOptions,
    ReadPath,
)
from harness.io.probe.panel import panels
from harness.io.probe.result import ProbeMeasurement, probe_result
from harness.io.probe.text import lines
from harness.io.recorder import RecordedFile, Recorder
from harness.io.target_facts import open_with_progress, target_facts
from ioprobe.engine.engine import (
    EngineEnd,
    EngineEvent,
    EngineFacts,
    PointProgress,
    PointResult,
    measure_points,
)
from ioprobe.target.target import DiskTarget, TargetKind
from stallscope.errors import ExitCode, TargetError
from stallscope.quantities import size_text

_LOG_FORMAT = "HdrHistogram V2 interval log, ns"
_INTERRUPTED = "interrupted before"


def run_probe(options: ProbeOptions, *, as_json: bool) -> int:
    """Return the exit code after the probe was recorded and printed.

    Ctrl-C ends the measurement and keeps its results.
    """
    live = LiveLine()
    with Recorder("probe", options.path, options.output, force=options.force) as recorder:
        try:
            with open_with_progress(options.path, options.target, live) as target:
                live.clear()
                measurement = _ProbeSession(options, target, recorder.folder, live).measure()
        finally:
            live.clear()
        result = probe_result(options, measurement)
        result = recorder.keep(result, panels(result), _log_files(recorder.folder))
    recorder.show(result, lines(result, width(), options.scale), as_json=as_json)
    return int(ExitCode.DONE)


def _log_files(folder: Path | None) -> dict[str, RecordedFile]:
    """Return the logs that the engine wrote."""
    if folder is None:
        return {}
    return {name: RecordedFile(_LOG_FORMAT) for name in LOGS.values() if (folder / name).is_file()}


@dataclass(frozen=True, slots=True)
class _EngineRun:
    """The events of a run with one point."""

    facts: EngineFacts | None = None
    result: PointResult | None = None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class _ProbeSession:
    """A running probe."""

    options: ProbeOptions
    target: DiskTarget
    folder: Path | None
    live: LiveLine

    def measure(self) -> ProbeMeasurement:
        """Return the measurement.

        Raises TargetError if no request completed, KeyboardInterrupt if Ctrl-C was the reason.
        """
        direct, cached, missing = _EngineRun(), _EngineRun(), None
        if self.options.read_path is not ReadPath.CACHED:
            direct = self._run(self.target, ReadPath.DIRECT)
        if self.target.kind is TargetKind.SIMULATED:
            missing = "a simulated disk has none"
        elif self.options.read_path is ReadPath.DIRECT:
            missing = "not requested"
        elif direct.interrupted:
            missing = _INTERRUPTED
        else:
            cached, missing = self._run_cached()
        interrupted = direct.interrupted or cached.interrupted or missing == _INTERRUPTED
        facts = direct.facts or cached.facts
        if facts is None or not (direct.result or cached.result):
            if interrupted:
                raise KeyboardInterrupt
            raise TargetError(f"{self.options.path}: no measurement: {missing}", "try again")
        measurement = ProbeMeasurement(
            kind=self.target.kind.value,
            facts=target_facts(self.target, ()),
            engine_facts=facts,
            direct=direct.result,
            cached=cached.result,
            cached_missing=missing,
            warnings=self.target.warnings,
            complete=not interrupted,
        )
        _check_requests(self.options.path, measurement.first)
        return measurement

    def _run_cached(self) -> tuple[_EngineRun, str | None]:
        """Return the run through the page cache, or the reason why there is none."""
        with self.target.cached() as whole:
            span_bytes = _cached_span(whole, self.options.block_bytes)
            target = replace(whole, span_bytes=span_bytes)
            missing = self._fill_page_cache(target)
            if missing:
                return _EngineRun(), missing
            if target.descriptor is not None:
                with suppress(OSError):  # disables read-ahead
                    os.posix_fadvise(target.descriptor, 0, 0, os.POSIX_FADV_RANDOM)
            return self._run(target, ReadPath.CACHED), None

    def _fill_page_cache(self, target: DiskTarget) -> str | None:
        """Read the span into the page cache; return the reason if that failed, else None.

        The engine reads it, so that a silent disk blocks the engine and not this process.
        """
        point = self.options.caching_point(target.span_bytes)
        total = size_text(target.span_bytes)

        def show_progress(progress: PointProgress) -> None:
            read = size_text(progress.requests * point.block_bytes)
            self.live.show(f"io probe: filling the page cache, {read} of {total}")

        run = _collect(measure_points(target, [point], real_time=False), show_progress)
        if run.interrupted or run.result is None:
            return _INTERRUPTED
        errors = _errors_text(run.result)
        return f"filling the page cache failed: {errors}" if errors else None

    def _run(self, target: DiskTarget, read_path: ReadPath) -> _EngineRun:
        point = self.options.point(read_path)
        log = self.folder / LOGS[read_path] if self.folder else None
        # Reads that never sleep, as through the page cache, are throttled in a real-time class.
        may_be_busy = read_path is ReadPath.DIRECT or point.duration_s <= MAX_BUSY_S
        real_time = self.options.real_time and may_be_busy

        def show_progress(progress: PointProgress) -> None:
            self.live.show(
                f"{NAMES[read_path]}: {progress.requests:,} requests, {progress.elapsed_s:.1f} of "
                f"{point.duration_s:g} s (Ctrl-C ends it)"
            )

        return _collect(
            measure_points(target, [point], real_time=real_time, log=log), show_progress
        )


def _collect(
    events: Iterator[EngineEvent], on_progress: Callable[[PointProgress], None]
) -> _EngineRun:
    run = _EngineRun()
    for event in events:
        if isinstance(event, EngineFacts):
            run = replace(run, facts=event)
        elif isinstance(event, PointResult):
            run = replace(run, result=event)
        elif isinstance(event, EngineEnd):
            run = replace(run, interrupted=event.interrupted)
        else:
            on_progress(event)
    return run


def _cached_span(target: DiskTarget, block_bytes: int) -> int:
    """Return the size of the span to read through the page cache, in whole blocks."""
    span = max(min(target.span_bytes, CACHED_BYTES), block_bytes)
    return span // block_bytes * block_bytes


def _check_requests(path: str, first: PointResult) -> None:
    """Raise TargetError without a completed request; KeyboardInterrupt if it was interrupted."""
    if first.requests:
        return
    errors = _errors_text(first)
    if first.interrupted and not errors:
        raise KeyboardInterrupt
    raise TargetError(
        f"{path}: no request completed: {errors or 'none ended in time'}",
        "see the kernel's log for errors of this disk, or use a longer --duration",
    )


def _errors_text(result: PointResult) -> str:
    """Return the number of failed requests by error; empty without any."""
    return ", ".join(f"{count:,} {name}" for name, count in result.errors.items())
