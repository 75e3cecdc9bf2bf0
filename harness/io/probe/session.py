"""One `stallscope io probe`: opens, measures with a live line, records, prints."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from harness.cli.terminal import LiveLine, width
from harness.io.probe.document import Probed, probe_document
from harness.io.probe.options import CACHED_BYTES, LOGS, LONGEST_BUSY_S, NAMES, ProbeRequest, Ways
from harness.io.probe.shown import probe_shown
from harness.io.probe.text import lines
from harness.io.recorder import Recorder
from harness.io.target_facts import opened, target_facts
from ioprobe.engine.engine import (
    EngineEnd,
    EngineEvent,
    EngineFacts,
    PointProgress,
    PointResult,
    measure_points,
)
from ioprobe.target.target import Target, TargetKind
from stallscope.errors import ExitCode, TargetError
from stallscope.json_fields import Fields
from stallscope.quantities import size_text

_LOG_FORM = "HdrHistogram V2 interval log, ns"
_INTERRUPTED = "interrupted before"


def run_probe(request: ProbeRequest, *, as_json: bool) -> int:
    """Return the exit code, once all is measured, kept and printed.

    Ctrl-C ends the measurement and keeps what was measured.
    """
    line = LiveLine()
    with Recorder("probe", request.path, request.output, force=request.force) as recorder:
        try:
            with opened(request.path, request.wanted(), line) as target:
                line.clear()
                probed = _Session(request, target, recorder.folder, line).measured()
        finally:
            line.clear()
        document = probe_document(probed)
        recorder.keep_document(document, _logs(recorder.folder), probed.warnings)
    shown = probe_shown(Fields(document, "probe"))
    recorder.tell(document, lines(shown, request.scale, width()), as_json=as_json)
    return int(ExitCode.DONE)


def _logs(folder: Path | None) -> dict[str, tuple[str, None]]:
    """Return the logs that the engine wrote."""
    names = LOGS.values() if folder else ()
    return {name: (_LOG_FORM, None) for name in names if folder and (folder / name).is_file()}


@dataclass(frozen=True, slots=True)
class _Session:
    """A probe under way."""

    request: ProbeRequest
    target: Target
    folder: Path | None
    line: LiveLine

    def measured(self) -> Probed:
        """Return what was measured.

        Raises TargetError where no request was done at all, KeyboardInterrupt where that was ended
        by Ctrl-C.
        """
        direct, cached, missing = _Reads(), _Reads(), None
        if self.request.ways is not Ways.CACHED:
            direct = self._one(self.target, Ways.DIRECT)
        if self.target.kind is TargetKind.SIMULATED:
            missing = "a simulated disk has none"
        elif self.request.ways is Ways.DIRECT:
            missing = "not asked for"
        elif direct.interrupted:
            missing = _INTERRUPTED
        else:
            cached, missing = self._cached()
        interrupted = direct.interrupted or cached.interrupted or missing == _INTERRUPTED
        begun = direct.begun or cached.begun
        if begun is None or not (direct.found or cached.found):
            if interrupted:
                raise KeyboardInterrupt
            raise TargetError(f"{self.request.path}: nothing was measured: {missing}", "try again")
        probed = Probed(
            request=self.request,
            kind=self.target.kind.value,
            facts=target_facts(self.target, ()),
            begun=begun,
            direct=direct.found,
            cached=cached.found,
            cached_missing=missing,
            warnings=self.target.warnings,
            complete=not interrupted,
        )
        _check_done(probed)
        return probed

    def _cached(self) -> "tuple[_Reads, str | None]":
        """Return reads through the page cache, or why there are none."""
        with self.target.cached() as whole:
            target = replace(whole, span_bytes=_cached_span(whole, self.request.block_bytes))
            missing = self._read_once(target)
            if missing:
                return _Reads(), missing
            if target.descriptor is not None:
                with suppress(OSError):  # no more is read ahead
                    os.posix_fadvise(target.descriptor, 0, 0, os.POSIX_FADV_RANDOM)
            return self._one(target, Ways.CACHED), None

    def _read_once(self, target: Target) -> str | None:
        """Return None, once the span is in the page cache; else why it cannot be.

        By the engine: a disk that falls silent keeps it, and not us.
        """
        point = self.request.once(target.span_bytes)
        whole = size_text(target.span_bytes)

        def say(progress: PointProgress) -> None:
            read = size_text(progress.requests * point.block_bytes)
            self.line.show(f"io probe: reading it into the page cache, {read} of {whole}")

        reads = _Reads.told(measure_points(target, [point], real_time=False), say)
        if reads.interrupted or reads.found is None:
            return _INTERRUPTED
        errors = _errors(reads.found)
        return f"reading it failed: {errors}" if errors else None

    def _one(self, target: Target, way: Ways) -> "_Reads":
        point = self.request.point(way)
        log = self.folder / LOGS[way] if self.folder else None
        # One that never sleeps, as through the page cache, is stopped a twentieth of each second.
        short = way is Ways.DIRECT or point.duration_s <= LONGEST_BUSY_S
        real_time = self.request.real_time and short

        def say(progress: PointProgress) -> None:
            self.line.show(
                f"io probe: {NAMES[way]}, {progress.elapsed_s:.1f} of {point.duration_s:g} s "
                f"(Ctrl-C ends it earlier), {progress.requests:,} requests"
            )

        return _Reads.told(measure_points(target, [point], real_time=real_time, log=log), say)


@dataclass(frozen=True, slots=True)
class _Reads:
    """What the engine told of one way; interrupted: by Ctrl-C, be it after the last request."""

    begun: EngineFacts | None = None
    found: PointResult | None = None
    interrupted: bool = False

    @classmethod
    def told(cls, events: Iterator[EngineEvent], say: Callable[[PointProgress], None]) -> Self:
        """Return what events of one point tell."""
        begun, found, interrupted = None, None, False
        for event in events:
            if isinstance(event, EngineFacts):
                begun = event
            elif isinstance(event, PointResult):
                found = event
            elif isinstance(event, EngineEnd):
                interrupted = event.interrupted
            else:
                say(event)
        return cls(begun, found, interrupted)


def _cached_span(target: Target, block_bytes: int) -> int:
    """Return how much of the target is read through the page cache, in whole blocks."""
    span = max(min(target.span_bytes, CACHED_BYTES), block_bytes)
    return span // block_bytes * block_bytes


def _check_done(probed: Probed) -> None:
    """Raise TargetError where no request of the first way was done; an interrupt, where it was."""
    first = probed.first
    if first.requests:
        return
    errors = _errors(first)
    if first.interrupted and not errors:
        raise KeyboardInterrupt
    raise TargetError(
        f"{probed.request.path}: no request was done: {errors or 'none ended in time'}",
        "see the kernel's log for what the disk answers, or ask for a longer --duration",
    )


def _errors(found: PointResult) -> str:
    """Return how many requests failed with which error; empty for none."""
    return ", ".join(f"{count:,} {name}" for name, count in found.errors.items())
