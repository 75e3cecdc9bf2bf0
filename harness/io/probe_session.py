"""One `stallscope io probe`: opens, measures with a live line, records, prints."""

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from harness.io.probe_document import Probed, probe_document
from harness.io.probe_request import CACHED_BYTES, LOGS, LONGEST_BUSY_S, NAMES, ProbeRequest, Ways
from harness.io.probe_shown import probe_shown
from harness.io.probe_text import lines
from harness.io.recorder import Recorder
from harness.io.target_facts import opened, target_facts
from harness.terminal import LiveLine, width
from ioprobe.engine import Begun, Measured, Progress, measuring
from ioprobe.target import Target, TargetKind
from stallscope.errors import ExitCode, TargetError
from stallscope.json_fields import Fields

_LOG_FORM = "HdrHistogram V2 interval log, ns"
_PIECE_BYTES = 2**20


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
        recorder.keep(document, _logs(recorder.folder), probed.warnings)
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
        """Return what was measured; TargetError where no request was done at all."""
        ways = self.request.ways
        begun, direct, cached, missing = None, None, None, None
        if ways is not Ways.CACHED:
            begun, direct = self._one(self.target, Ways.DIRECT)
        if self.target.kind is TargetKind.SIMULATED:
            missing = "a simulated disk has none"
        elif ways is Ways.DIRECT:
            missing = "not asked for"
        elif direct is not None and direct.interrupted:
            missing = "interrupted before"
        else:
            first, cached, missing = self._cached()
            begun = begun or first
        if begun is None or not (direct or cached):
            raise TargetError(f"{self.request.path}: nothing was measured: {missing}", "try again")
        probed = Probed(
            request=self.request,
            kind=self.target.kind.value,
            facts=target_facts(self.target, ()),
            begun=begun,
            direct=direct,
            cached=cached,
            cached_missing=missing,
            warnings=self.target.warnings,
        )
        _check_done(probed)
        return probed

    def _cached(self) -> tuple[Begun | None, Measured | None, str | None]:
        with self.target.cached() as whole:
            target = replace(whole, span_bytes=_cached_span(whole, self.request.block_bytes))
            missing = _read_ahead(target)
            if missing:
                return None, None, missing
            begun, found = self._one(target, Ways.CACHED)
            return begun, found, None

    def _one(self, target: Target, way: Ways) -> tuple[Begun | None, Measured | None]:
        point = self.request.point(way)
        begun, found = None, None
        log = self.folder / LOGS[way] if self.folder else None
        # One that never sleeps, as through the page cache, is stopped a twentieth of each second.
        short = way is Ways.DIRECT or point.duration_s <= LONGEST_BUSY_S
        real_time = self.request.real_time and short
        for event in measuring(target, [point], real_time=real_time, log=log):
            if isinstance(event, Begun):
                begun = event
            elif isinstance(event, Measured):
                found = event
            elif isinstance(event, Progress):
                self.line.show(
                    f"io probe: {NAMES[way]}, {event.elapsed_s:.1f} of {point.duration_s:g} s "
                    f"(Ctrl-C ends it earlier), {event.requests:,} requests"
                )
        return begun, found


def _cached_span(target: Target, block_bytes: int) -> int:
    """Return how much of the target is read through the page cache, in whole blocks."""
    span = max(min(target.span_bytes, CACHED_BYTES), block_bytes)
    return span // block_bytes * block_bytes


def _read_ahead(target: Target) -> str | None:
    """Return None, once the span is in the page cache; else why it cannot be."""
    if target.descriptor is None:
        return "nothing is open"
    end = target.offset_bytes + target.span_bytes
    piece = bytearray(_PIECE_BYTES)
    at = target.offset_bytes
    try:
        while at < end and (got := os.preadv(target.descriptor, [piece], at)):
            at += got
    except OSError as error:
        return f"reading it failed: {error.strerror}"
    with suppress(OSError):
        os.posix_fadvise(target.descriptor, 0, 0, os.POSIX_FADV_RANDOM)  # no more is read ahead
    return None


def _check_done(probed: Probed) -> None:
    """Raise TargetError where no request of the first way was done."""
    first = probed.first
    if first.requests or first.interrupted:
        return
    errors = ", ".join(f"{count:,} {name}" for name, count in first.errors.items())
    raise TargetError(
        f"{probed.request.path}: no request was done: {errors or 'none ended in time'}",
        "see the kernel's log for what the disk answers, or ask for a longer --duration",
    )
