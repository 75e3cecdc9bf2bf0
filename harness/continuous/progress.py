"""Totals of a continuous recording, and its result so far."""

import time
from collections import Counter
from dataclasses import dataclass, field

from harness.continuous.meter import SAMPLE_COST_S, RecorderMeter
from harness.continuous.options import ContinuousOptions
from harness.continuous.result import (
    ContinuousResult,
    DroppedSegments,
    RecorderCost,
    SentProfiles,
)
from harness.continuous.segment import SegmentEnd
from harness.continuous.segments import SegmentStore
from harness.continuous.sender import ProfileSender
from stallscope.printable import printable


@dataclass(slots=True)
class Totals:
    """Sums over the segments of this run; segments of earlier runs are not in them."""

    segments: int = 0
    empty: int = 0
    failed: int = 0
    ended_early: int = 0
    samples: int = 0
    lost: int = 0
    covered_s: float = 0.0
    paused_s: float = 0.0
    ring_bytes: int = 0
    frequency_hz: int | None = None
    start_cpu_s: float = 0.0  # before the first segment
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, end: SegmentEnd) -> None:
        """Add a segment."""
        self.segments += end.samples > 0
        self.empty += end.samples == 0
        self.ended_early += end.is_early
        self.samples += end.samples
        self.lost += end.lost
        self.covered_s += end.seconds
        self.ring_bytes = max(self.ring_bytes, end.ring_bytes)
        self.frequency_hz = end.frequency_hz
        self.reasons[end.reason] += 1


@dataclass(frozen=True, slots=True)
class Recorder:
    """What a continuous recording consists of; ``sender`` is None if nothing is sent."""

    options: ContinuousOptions
    store: SegmentStore
    meter: RecorderMeter
    sender: ProfileSender | None


def result_of(
    recorder: Recorder, totals: Totals, *, elapsed_s: float, end: str
) -> ContinuousResult:
    """Return the result so far."""
    options, store = recorder.options, recorder.store
    segments = store.segments()
    cost = _cost(recorder, totals, elapsed_s)
    now_ns = time.time_ns()
    return ContinuousResult(
        directory=str(store.path),
        begin_ns=now_ns - round(elapsed_s * 1e9),
        written_ns=now_ns,
        end=end,
        segments=len(segments),
        first_segment=segments[0].name if segments else None,
        last_segment=segments[-1].name if segments else None,
        removed=store.removed,
        empty=totals.empty,
        failed=totals.failed,
        ended_early=totals.ended_early,
        samples=totals.samples,
        lost=totals.lost,
        covered_s=totals.covered_s,
        paused_s=totals.paused_s,
        frequency_hz=totals.frequency_hz,
        max_frequency_hz=options.collector.frequency_hz or 0,
        cost=cost,
        sent=_sent(recorder),
        warnings=tuple(_warnings(options, totals, cost)),
    )


def _cost(recorder: Recorder, totals: Totals, elapsed_s: float) -> RecorderCost:
    options = recorder.options
    recorder_s = recorder.meter.cpu_s()
    sampling_s = totals.samples * SAMPLE_COST_S
    return RecorderCost(
        elapsed_s=elapsed_s,
        budget_share=options.budget_share,
        used_share=(recorder_s + sampling_s) / elapsed_s if elapsed_s > 0 else 0.0,
        recorder_cpu_s=recorder_s,
        sampling_cpu_s=sampling_s,
        start_cpu_s=totals.start_cpu_s,
        memory_bytes=recorder.meter.memory_bytes,
        ring_bytes=totals.ring_bytes,
        disk_bytes=recorder.store.size_bytes(),
        disk_limit_bytes=options.max_total_bytes,
    )


def _warnings(options: ContinuousOptions, totals: Totals, cost: RecorderCost) -> list[str]:
    warnings = []
    if cost.used_share > cost.budget_share:
        start = 100 * cost.start_cpu_s / cost.elapsed_s
        warnings.append(
            f"the budget was exceeded: {100 * cost.used_share:.2f} % of a CPU were used, of which "
            f"{start:.2f} for the start, which a longer recording makes up for"
        )
    if cost.disk_bytes > options.max_total_bytes:
        warnings.append("the newest segment alone is larger than --max-size")
    if totals.reasons["size limit"]:
        warnings.append(
            f"{totals.reasons['size limit']:,} segments ended at their maximum size, before their "
            "time: copied stacks need much space; a lower -F or --stacks fp needs less"
        )
    return warnings


def _sent(recorder: Recorder) -> SentProfiles | None:
    endpoint, sender = recorder.options.endpoint, recorder.sender
    if sender is None or endpoint is None:
        return None
    counts = sender.counts
    return SentProfiles(
        url=printable(endpoint.url),
        segments=counts.segments,
        bytes=counts.sent_bytes,
        retries=counts.retries,
        rejected=counts.rejected,
        dropped=tuple(
            DroppedSegments(reason=reason, segments=number)
            for reason, number in sorted(dict(counts.dropped).items())
        ),
        last_dropped=counts.last_dropped or None,
        last_failure=counts.failure or None,
    )
