"""The result of `stallscope lab storm`: the settings by limit, ratios and verdict, all rounds."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from harness.labs.storm.measurement import (
    COMPARED,
    QUANTITIES,
    READER,
    WRITER,
    StormMeasurement,
    StormQuantity,
)
from harness.labs.storm.plan import READER_ALONE, requests_text
from harness.labs.storm.trial import TrialLimit
from harness.labs.storm.verdict import storm_verdict
from harness.recordings.results import RecordedResult
from harness.topdown.phase_counts import PhaseCounts
from ioprobe.storm import ReaderLatency, StormPoint, StormRound, StormSetting
from stallscope.documents import Amount, Count, Natural, Record, Share, field
from stallscope.statistics.estimate import Estimate

_MIN_READS = 1000  # with fewer reads p99.9 is little more than the maximum


class ReaderMedians(Record, frozen=True, kw_only=True):
    """Medians over rounds of the reader's latencies in ns; ``max`` is the maximum of all rounds."""

    p50: Amount | None
    p90: Amount | None
    p99: Amount | None
    p999: Amount | None = field(name="p99.9")
    max: Amount | None

    @property
    def by_name(self) -> dict[str, float | None]:
        """Return the latencies by their names in documents."""
        values = (self.p50, self.p90, self.p99, self.p999, self.max)
        return dict(zip(READER, values, strict=True))


class StormEstimates(Record, frozen=True, kw_only=True):
    """Estimates of the compared quantities, or of their ratios."""

    p50: Estimate
    p90: Estimate
    p99: Estimate
    p999: Estimate = field(name="p99.9")
    max: Estimate
    writer_bytes_per_s: Estimate

    @property
    def by_name(self) -> dict[str, Estimate]:
        """Return the estimates by the names that text and page show."""
        values = (self.p50, self.p90, self.p99, self.p999, self.max, self.writer_bytes_per_s)
        return dict(zip((*READER, "writer's bandwidth"), values, strict=True))


class StormRow(Record, frozen=True, kw_only=True):
    """A setting; a value is None if no round passed its checks or it cannot be measured."""

    limit: Natural | None  # None: no limit
    shares: tuple[Count, Count] | None  # None: first come, first served
    recommended: bool
    reader_ns: ReaderMedians
    writer_bytes_per_s: Amount | None
    pending: Amount | None  # mean number of requests in the I/O queue
    in_flight: Amount | None  # mean number of requests on the disk
    iowait_share: Share | None
    reads: Count
    rounds: Count  # that passed their checks
    masked: tuple[str, ...]  # the checks that other rounds failed
    spreads: StormEstimates
    series: tuple[StormPoint, ...] = ()  # one run over time; empty without --server
    series_round: Count | None = None  # the round of that run


class RecommendedLimit(Record, frozen=True, kw_only=True):
    """The recommended limit, the reason, and the trial that selected it."""

    limit: Natural
    how: str
    tried: tuple[TrialLimit, ...]


class StormParameters(Record, frozen=True, kw_only=True):
    """The options of the storm."""

    rounds: Count
    duration_s: Amount
    warmup_s: Amount
    shares: tuple[Count, Count]
    reader_bytes: Count
    reader_depth: Count
    writer_bytes: Count
    writer_depth: Count
    write_share: Share = 0.0  # of the clients' requests, with --server


class StormRoundResult(Record, frozen=True, kw_only=True):
    """One run of one setting."""

    round: Count
    limit: Natural | None
    shares: tuple[Count, Count] | None
    writes: bool
    seconds: Amount | None
    reads: Count
    reader_ns: ReaderLatency | None
    reader_delay_ns: ReaderLatency | None
    writer_bytes_per_s: Amount | None
    pending: Amount | None
    in_flight: Amount | None
    iowait_share: Amount | None
    cpu_delay_share: Amount | None
    errors: dict[str, Count]
    failed: tuple[str, ...]


class StormResult(RecordedResult, frozen=True, kw_only=True, tag="stallscope.lab.storm/1"):
    """A storm. ``rows`` have shares; in ``first_come`` reader and writer share one FIFO."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {
        "asked": "requests",
    }

    rows: tuple[StormRow, ...]
    first_come: tuple[StormRow, ...]
    reader_alone: StormRow | None
    recommended: RecommendedLimit
    against: Natural | None  # the limit that it is compared with; None: no limit
    ratios: StormEstimates
    ratios_against_no_limit: StormEstimates
    verdict: str
    verdict_reason: str
    path: str
    requests: str  # reader, writer and rounds in words
    options: StormParameters
    rounds: tuple[StormRoundResult, ...]
    facts: dict[str, str]  # label to text: what was measured, and how
    warnings: tuple[str, ...]
    counters: dict[str, PhaseCounts] = field(default_factory=dict)  # of a run of each setting
    seconds: Amount

    @property
    def title(self) -> str:
        """Return the subject of the measurement."""
        return f"A reader beside a storm of writes on {self.path}"

    @property
    def table_rows(self) -> tuple[StormRow, ...]:
        """Return all rows in the order of the table."""
        return (*((self.reader_alone,) if self.reader_alone else ()), *self.first_come, *self.rows)

    def row_name(self, row: StormRow) -> str:
        """Return the name of a row's setting, such as "limit 8, first come"."""
        if row is self.reader_alone:
            return "clients alone" if self.options.write_share else "reader alone"
        limit = "no limit" if row.limit is None else f"limit {row.limit}"
        if row.shares is None:
            return f"{limit}, first come"
        return f"{limit}, shares {row.shares[0]}:{row.shares[1]}"


def storm_result(storm: StormMeasurement) -> StormResult:
    """Return the result of a measured or simulated storm."""
    verdict = storm_verdict(storm)
    measured = storm.settings()
    recommendation = storm.recommendation
    return StormResult(
        source="modelled" if storm.modelled else "measured",
        complete=storm.complete,
        rows=_rows(storm, [setting for setting in measured if setting.shares is not None]),
        first_come=_rows(
            storm, [setting for setting in measured if setting.writes and setting.shares is None]
        ),
        reader_alone=_row(storm, READER_ALONE) if READER_ALONE in measured else None,
        recommended=RecommendedLimit(
            limit=recommendation.limit, how=recommendation.how, tried=recommendation.tried
        ),
        against=storm.reference_setting.limit,
        ratios=_ratios(storm, storm.reference_setting),
        ratios_against_no_limit=_ratios(storm, StormSetting(None, None)),
        verdict=str(verdict.conclusion),
        verdict_reason=verdict.reason,
        path=storm.options.path,
        requests=requests_text(storm.options),
        options=_settings(storm),
        rounds=tuple(map(_round, storm.rounds)),
        facts=storm.facts,
        warnings=(*storm.warnings, *_warnings(storm)),
        seconds=storm.seconds,
        counters=dict(storm.counters),
    )


def _settings(storm: StormMeasurement) -> StormParameters:
    options, streams = storm.options, storm.options.streams
    return StormParameters(
        rounds=options.rounds,
        duration_s=options.duration_s,
        warmup_s=options.warmup_s,
        shares=options.shares,
        reader_bytes=streams.reader_bytes,
        reader_depth=streams.reader_depth,
        writer_bytes=streams.writer_bytes,
        writer_depth=streams.writer_depth,
        write_share=options.write_share,
    )


def _rows(storm: StormMeasurement, settings: list[StormSetting]) -> tuple[StormRow, ...]:
    """Return the rows of settings, from no limit to the smallest limit."""
    ordered = sorted(settings, key=lambda setting: -(setting.limit or 2**62))
    return tuple(_row(storm, setting) for setting in ordered)


def _row(storm: StormMeasurement, setting: StormSetting) -> StormRow:
    accepted = storm.accepted_rounds(setting)
    latency_series = _round_over_time(storm, setting)
    maxima = [result.reader.max for result in accepted if result.reader is not None]

    def median(name: str) -> float | None:
        return storm.estimate(setting, QUANTITIES[name]).median

    return StormRow(
        limit=setting.limit,
        shares=setting.shares,
        recommended=setting.writes and setting.limit == storm.recommendation.limit,
        reader_ns=ReaderMedians(
            p50=median("p50"),
            p90=median("p90"),
            p99=median("p99"),
            p999=median("p99.9"),
            max=max(maxima, default=None),
        ),
        writer_bytes_per_s=median(WRITER),
        pending=median("pending"),
        in_flight=median("in_flight"),
        iowait_share=median("iowait_share"),
        reads=sum(result.reads for result in accepted),
        rounds=len(accepted),
        masked=tuple(why for result in storm.all_rounds(setting) for why in result.failed),
        spreads=_estimates(lambda quantity: storm.estimate(setting, quantity)),
        series=() if latency_series is None else latency_series.series,
        series_round=None if latency_series is None else latency_series.run.round,
    )


def _round_over_time(storm: StormMeasurement, setting: StormSetting) -> StormRound | None:
    """Return the run to show over time; None if no run was sampled.

    It is of the first round in which both compared settings passed their checks, so that all rows
    show the same time.
    """
    compared = (storm.recommended_setting, storm.reference_setting)
    passed = [
        {result.run.round for result in storm.accepted_rounds(candidate) if result.series}
        for candidate in compared
    ]
    sampled = [result for result in storm.all_rounds(setting) if result.series]
    number = min(passed[0] & passed[1], default=None)
    return next(
        (result for result in sampled if result.run.round == number),
        next((result for result in sampled if not result.failed), next(iter(sampled), None)),
    )


def _ratios(storm: StormMeasurement, reference: StormSetting) -> StormEstimates:
    return _estimates(lambda quantity: storm.ratio(storm.recommended_setting, reference, quantity))


def _estimates(estimate: Callable[[StormQuantity], Estimate]) -> StormEstimates:
    return StormEstimates(
        p50=estimate(COMPARED["p50"]),
        p90=estimate(COMPARED["p90"]),
        p99=estimate(COMPARED["p99"]),
        p999=estimate(COMPARED["p99.9"]),
        max=estimate(COMPARED["max"]),
        writer_bytes_per_s=estimate(COMPARED[WRITER]),
    )


def _round(result: StormRound) -> StormRoundResult:
    setting = result.run.setting
    return StormRoundResult(
        round=result.run.round,
        limit=setting.limit,
        shares=setting.shares,
        writes=setting.writes,
        seconds=result.seconds,
        reads=result.reads,
        reader_ns=result.reader,
        reader_delay_ns=result.reader_delay,
        writer_bytes_per_s=result.writer_bytes_per_s,
        pending=result.pending,
        in_flight=result.in_flight,
        iowait_share=result.iowait_share,
        cpu_delay_share=result.cpu_delay_share,
        errors=dict(result.errors),
        failed=result.failed,
    )


def _warnings(storm: StormMeasurement) -> list[str]:
    warnings = []
    reads = [
        result.reads for setting in storm.settings() for result in storm.accepted_rounds(setting)
    ]
    short = [count for count in reads if count < _MIN_READS]
    if short:
        warnings.append(
            f"p99.9 is little more than the maximum in {len(short)} of {len(reads)} runs, which "
            f"have fewer than {_MIN_READS:,} reads (minimum {min(short):,}): use longer rounds"
        )
    if not storm.complete:
        warnings.append("interrupted: only finished runs are shown")
    return warnings
