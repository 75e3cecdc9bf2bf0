"""The document of a recording with requests."""

from pathlib import Path

import numpy as np

from harness.requests.result import (
    RequestActivity,
    RequestKind,
    RequestLock,
    RequestMarks,
    RequestMean,
    RequestPartner,
    RequestQuantile,
    RequestsResult,
    RequestStack,
    RequestState,
)
from harness.requests.verdict import kind_sentences, verdict
from harness.waits.analysis import WaitAnalysis
from stallscope.printable import printable
from topdown.requests.activity import ACTIVITIES, request_activity
from topdown.requests.explanation import RULE, ClassPair, RequestExplanation, explain
from topdown.requests.latency_classes import (
    SLOW_ABOVE,
    LatencyClasses,
    latency_classes,
    quantile_ns,
)
from topdown.requests.lock_times import lock_times, wait_partners
from topdown.requests.marks import RequestMarks as Marks
from topdown.requests.mean_differences import MeanDifference, mean_differences
from topdown.requests.places import stack_differences
from topdown.requests.span_states import request_states
from topdown.requests.spans import Requests, find_requests
from topdown.waits.futex_waits import futex_waits

MAX_KINDS = 20


def requests_result(
    analysis: WaitAnalysis,
    marks: Marks,
    *,
    recording: Path,
    report: Path | None,
    slow_above: float = SLOW_ABOVE,
) -> RequestsResult:
    """Return the document; ``report`` is the path of the page, None without one."""
    requests = find_requests(marks, analysis.records)
    classes = latency_classes(requests.wall_ns, slow_above)
    wall: MeanDifference | None = None
    rows: list[RequestExplanation] = []
    parts = _Parts()
    if classes.slow.any() and classes.median.any():
        intervals = analysis.kinds.intervals
        states = request_states(requests, intervals, analysis.records)
        wall, rows = explain(requests, states, classes, analysis.records, intervals, analysis.names)
        parts = _Parts.of(analysis, requests, classes)
    kinds = _kinds(requests, classes)
    return RequestsResult(
        title=printable(analysis.title),
        requests=len(requests),
        slow_requests=int(classes.slow.sum()),
        median_requests=int(classes.median.sum()),
        slow_quantile=slow_above,
        slow_above_ns=classes.slow_above_ns,
        latency_ns=None if wall is None else _mean(wall),
        verdict=(
            *verdict(len(requests), classes, wall, rows, slow_above),
            *kind_sentences(kinds, int(classes.slow.sum())),
        ),
        rule=RULE,
        quantiles=tuple(
            RequestQuantile(share=share, latency_ns=latency_ns)
            for share, latency_ns in quantile_ns(requests.wall_ns)
        ),
        kinds=kinds,
        states=tuple(
            RequestState(
                state=row.state,
                time_ns=_mean(row.times),
                share=row.share,
                place=tuple(map(printable, row.place.chain)),
                stands_out=row.stands_out,
            )
            for row in rows
        ),
        stacks=parts.stacks,
        locks=parts.locks,
        partners=parts.partners,
        activities=parts.activities,
        marks=_marks(marks, requests),
        warnings=tuple(dict.fromkeys((*_warnings(analysis, requests), *marks.warnings))),
        recording=str(recording),
        report=None if report is None else str(report),
    )


class _Parts:
    """The parts of the document that need both classes; empty without them."""

    stacks: tuple[RequestStack, ...] = ()
    locks: tuple[RequestLock, ...] = ()
    partners: tuple[RequestPartner, ...] = ()
    activities: tuple[RequestActivity, ...] = ()

    @staticmethod
    def of(analysis: WaitAnalysis, requests: Requests, classes: LatencyClasses) -> "_Parts":
        """Return the parts of a recording."""
        records, intervals, names = analysis.records, analysis.kinds.intervals, analysis.names
        pair = ClassPair.of(records, requests, classes)
        waits = futex_waits(records, intervals, names, analysis.calls)
        parts = _Parts()
        parts.stacks = tuple(
            RequestStack(
                state=row.state,
                chain=tuple(map(printable, row.chain)),
                slow_ns=row.slow_ns,
                median_ns=row.median_ns,
            )
            for row in stack_differences(records, intervals, names, pair.slow, pair.median)
        )
        parts.locks = tuple(
            RequestLock(
                address=f"{lock.address:#x}",
                kind=lock.kind,
                slow_ns=lock.place.slow_ns,
                median_ns=lock.place.median_ns,
                slow_waits=lock.slow_waits,
                median_waits=lock.median_waits,
                place=tuple(map(printable, lock.place.chain)),
            )
            for lock in lock_times(waits, pair, names)
        )
        parts.partners = tuple(
            RequestPartner(name=printable(row.name), slow_ns=row.slow_ns, median_ns=row.median_ns)
            for row in wait_partners(records, intervals, names, pair)
        )
        counts = request_activity(requests, records, names, waits)
        parts.activities = tuple(
            RequestActivity(
                name=name,
                count=_mean(mean),
                source="sampled" if name == "allocation_samples" else "measured",
            )
            for name, mean in zip(
                ACTIVITIES, mean_differences(counts, classes.slow, classes.median), strict=True
            )
            if name != "wake_ups" or records.wake_ups is not None
        )
        return parts


def _mean(mean: MeanDifference) -> RequestMean:
    return RequestMean(
        slow=max(0.0, mean.slow),
        median=max(0.0, mean.median),
        difference_low=mean.low,
        difference_high=mean.high,
    )


def _kinds(requests: Requests, classes: LatencyClasses) -> tuple[RequestKind, ...]:
    """Return the names of requests, the most frequent ones first."""
    counts = np.bincount(requests.name, minlength=len(requests.names))
    wall = requests.wall_ns
    kinds = []
    for name in np.argsort(-counts, kind="stable")[:MAX_KINDS].tolist():
        if not counts[name]:
            break
        members = requests.name == name
        quantiles = dict(quantile_ns(wall[members]))
        kinds.append(
            RequestKind(
                name=printable(requests.names[name]),
                requests=int(counts[name]),
                slow_requests=int((members & classes.slow).sum()),
                p50_ns=quantiles.get(0.5, int(wall[members].max())),
                p99_ns=quantiles.get(0.99),
            )
        )
    return tuple(kinds)


def _marks(marks: Marks, requests: Requests) -> RequestMarks:
    faults = requests.faults
    return RequestMarks(
        marks=len(marks),
        unfinished=faults.unfinished,
        begun_before=faults.begun_before,
        stray_marks=faults.stray,
        outside=faults.outside,
        overlapping=faults.overlapping,
        unknown_threads=faults.unknown_threads,
    )


def _warnings(analysis: WaitAnalysis, requests: Requests) -> list[str]:
    warnings = [text for text in analysis.warnings if "random windows" not in text]
    if analysis.records.limited_from_ns is not None:
        warnings.append(
            "switches were recorded in random windows only, to limit the cost: the states of most "
            "requests are unknown; record them with --max-cost 1"
        )
    faults = requests.faults
    if faults.overlapping:
        warnings.append(
            f"{faults.overlapping:,} requests overlap with another one on their thread: its time "
            "counts for both; mark the pauses of requests with stallscope_request_suspend()"
        )
    if faults.unknown_threads:
        warnings.append(
            f"{faults.unknown_threads:,} spans of requests are on threads without records; their "
            "time is in an unknown state"
        )
    return warnings
