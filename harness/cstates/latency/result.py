"""The result of `stallscope cstates latency`: wake-up latency with sleep states open and closed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from cstates.advice.evidence import WakeEvidence
from cstates.wake_latency import WakeFinding, WakeResult, WakeVerdict, verdicts
from harness.cstates.latency.options import LatencyOptions
from stallscope.documents import (
    Amount,
    Count,
    Document,
    Number,
    Record,
    decode,
    field,
    read_bounded,
)

REMEDY = "make one: stallscope cstates latency --json > FILE"


class LatencyPercentilesUs(Record, frozen=True, kw_only=True):
    """Percentiles of a latency in us."""

    p50: Amount | None = None
    p90: Amount | None = None
    p99: Amount | None = None
    p999: Amount | None = field(name="p99.9", default=None)
    max: Amount | None = None


class SettingLatency(Record, frozen=True, kw_only=True):
    """All rounds of one test under one setting."""

    test: str
    kind: str
    think_us: Amount
    processes: Count
    states: str  # the setting's name
    closed: tuple[str, ...]
    limit_us: Count | None
    samples: Count
    latency_us: LatencyPercentilesUs
    rounds_p50_us: tuple[Amount, ...]
    histogram_ns: tuple[tuple[Amount, Amount, Count], ...]  # least, greatest, count
    entries: dict[str, Count]  # by state; unknown ones are absent


class LatencyVerdict(Record, frozen=True, kw_only=True):
    """The gain of a setting over the unchanged machine; a negative gain is a loss."""

    test: str
    states: str
    closed: tuple[str, ...]
    gain_us: Number | None  # median over rounds of the difference of medians
    min_us: Number | None
    max_us: Number | None
    finding: WakeFinding
    text: str


class LatencyResult(Document, frozen=True, kw_only=True, tag="stallscope.cstates.latency/1"):
    """Wake-up latency under all settings."""

    source: Literal["measured"] = "measured"
    cpus: tuple[Count, ...]  # of the processes, in their order
    rounds: Count
    seconds: Amount | None = None  # per run; None in documents before version 0.1
    results: tuple[SettingLatency, ...]
    verdicts: tuple[LatencyVerdict, ...]
    notes: tuple[str, ...]

    @property
    def evidence(self) -> tuple[WakeEvidence, ...]:
        """Return the verdicts as evidence for advice."""
        return tuple(
            WakeEvidence(verdict.test, verdict.closed, verdict.finding, verdict.text)
            for verdict in self.verdicts
        )


def read_evidence(path: Path) -> tuple[WakeEvidence, ...]:
    """Return the evidence in a document file of `stallscope cstates latency --json`."""
    return decode(read_bounded(path), LatencyResult, str(path), remedy=REMEDY).evidence


def latency_result(
    options: LatencyOptions, results: Sequence[WakeResult], notes: Sequence[str]
) -> LatencyResult:
    """Return the result of a measurement."""
    return LatencyResult(
        cpus=options.cpus,
        rounds=options.rounds,
        seconds=options.seconds,
        results=tuple(map(_setting, results)),
        verdicts=tuple(map(_verdict, verdicts(results))),
        notes=tuple(notes),
    )


def _verdict(verdict: WakeVerdict) -> LatencyVerdict:
    return LatencyVerdict(
        test=verdict.test.name,
        states=verdict.setting.name,
        closed=verdict.setting.closed,
        gain_us=verdict.gain_us,
        min_us=verdict.min_us,
        max_us=verdict.max_us,
        finding=verdict.finding,
        text=verdict.text,
    )


def _setting(result: WakeResult) -> SettingLatency:
    p50, p90, p99, p999, highest = (_us(result, rank) for rank in (50, 90, 99, 99.9, 100))
    return SettingLatency(
        test=result.test.name,
        kind=result.test.kind,
        think_us=result.test.think_us,
        processes=result.test.processes,
        states=result.setting.name,
        closed=result.setting.closed,
        limit_us=result.setting.limit_us,
        samples=result.latencies.total,
        latency_us=LatencyPercentilesUs(p50=p50, p90=p90, p99=p99, p999=p999, max=highest),
        rounds_p50_us=result.rounds_p50_us,
        histogram_ns=tuple(result.latencies.rows()),
        entries=result.entries,
    )


def _us(result: WakeResult, percent: float) -> float | None:
    value_ns = result.latencies.percentile(percent)
    return None if value_ns is None else value_ns / 1000
