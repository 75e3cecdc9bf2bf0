"""One segment: a run of the collector that ends early if it costs more than planned."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from harness.cli.terminal import LiveLine, warn
from harness.continuous.meter import SAMPLE_COST_S, RecorderMeter
from harness.continuous.pace import SegmentPlan
from harness.profile.recorder import copy_process_artifacts
from stallscope.collector import (
    CollectionEnd,
    CollectorOptions,
    CollectorProgress,
    Started,
    collect,
)
from stallscope.documents import Count, Record, read_document
from stallscope.errors import ExitCode, StallscopeError
from stallscope.recordings import MANIFEST, open_recording

_MIN_SECONDS = 1.0  # before an overrun is judged
EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class SegmentEnd:
    """How a segment ended, and what it holds.

    ``variable_cpu_s``: of the collector from its start to its last progress, and of the samples.
    """

    reason: str
    samples: int = 0
    lost: int = 0
    seconds: float = 0.0
    frequency_hz: int = 1
    variable_cpu_s: float = 0.0
    ring_bytes: int = 0
    is_interrupted: bool = False
    is_early: bool = False
    path: Path | None = None


class _AttachRecord(Record, frozen=True):
    ring_bytes: Count = 0


class _RingRecord(Record, frozen=True):
    attach: _AttachRecord = _AttachRecord()


class Segment:
    """A run of the collector into a directory."""

    def __init__(
        self,
        collector: CollectorOptions,
        path: Path,
        plan: SegmentPlan,
        meter: RecorderMeter,
        line: LiveLine,
        *,
        print_warnings: bool = True,
    ) -> None:
        self.path = path
        self._collector = replace(
            collector,
            output=path,
            frequency_hz=plan.frequency_hz,
            duration_s=plan.duration_s,
        )
        self._plan = plan
        self._meter = meter
        self._line = line
        self._print_warnings = print_warnings
        self._control: BinaryIO | None = None
        self._started_cpu_s = 0.0
        self._last_cpu_s = 0.0
        self._is_early = False

    def run(self) -> SegmentEnd:
        """Return the end of the segment. Raises errors of the collector.

        A target that used no CPU time is not an error: the segment is then empty.
        """
        begin_s = time.monotonic()
        try:
            end = collect(self._collector, self._update, None, beside=self._beside)
        except StallscopeError as error:
            if error.exit_code != ExitCode.UNREADABLE or not (self.path / MANIFEST).exists():
                raise
            end = CollectionEnd(int(error.exit_code), EMPTY, interrupted=False)
        return self._end(end, time.monotonic() - begin_s)

    def _end(self, end: CollectionEnd, seconds: float) -> SegmentEnd:
        manifest = open_recording(self.path).manifest
        assert manifest is not None
        covered_s = seconds
        if manifest.end_ns is not None:
            covered_s = (manifest.end_ns - manifest.start_ns) / 1e9
        return SegmentEnd(
            reason=manifest.end_reason or end.reason,
            samples=manifest.samples,
            lost=manifest.lost_samples,
            seconds=covered_s,
            frequency_hz=self._plan.frequency_hz,
            variable_cpu_s=self._variable_s(manifest.samples),
            ring_bytes=_ring_bytes(self.path),
            is_interrupted=end.interrupted,
            is_early=self._is_early,
            path=self.path,
        )

    @contextmanager
    def _beside(self, control: BinaryIO) -> Iterator[None]:
        self._control = control
        yield

    def _update(self, progress: CollectorProgress) -> None:
        if isinstance(progress, Started):
            copy_process_artifacts(progress.pids or self._collector.pids, self._collector)
            self._started_cpu_s = self._last_cpu_s = self._meter.helpers_cpu_s()
            self._meter.read_memory()
        elif progress.kind == "finished":
            self._meter.read_memory()
        else:
            self._last_cpu_s = self._meter.helpers_cpu_s()
            self._check(progress)
            self._line.show(
                f"{self.path.name}: {progress.seconds:.0f} of {self._collector.duration_s:.0f} s, "
                f"{progress.samples:,} samples at {self._plan.frequency_hz} Hz"
            )
        for text in progress.warning_texts if self._print_warnings else ():
            warn(text)

    def _variable_s(self, samples: int) -> float:
        return max(0.0, self._last_cpu_s - self._started_cpu_s) + samples * SAMPLE_COST_S

    def _check(self, progress: CollectorProgress) -> None:
        """End the segment if its samples cost more than planned."""
        is_overrun = self._plan.is_overrun(self._variable_s(progress.samples))
        if self._is_early or progress.seconds < _MIN_SECONDS or not is_overrun:
            return
        self._is_early = True
        # Ctrl-C closes the stream; the end of the collector breaks it.
        with suppress(OSError, ValueError):
            assert self._control is not None
            self._control.write(b"stop\n")
            self._control.flush()


def _ring_bytes(segment: Path) -> int:
    """Return the bytes of the ring buffers of all CPUs."""
    return read_document(segment / MANIFEST, _RingRecord).attach.ring_bytes * (os.cpu_count() or 1)
