"""The result of `stallscope io curve`: throughput and latency by depth, recommended depths."""

from collections.abc import Mapping
from typing import ClassVar

from harness.io.conditions import DiskConditions
from harness.recordings.results import RecordedResult
from ioprobe.curve.estimates import CurveEstimates
from ioprobe.curve.io_properties import DiskProperties
from ioprobe.curve.measurement import Curve
from ioprobe.curve.plan import CurveRequests
from ioprobe.curve.readings import DepthReading, DepthReadings
from ioprobe.curve.verdicts import CurveFinding
from ioprobe.engine.points import Latency
from stallscope.documents import Amount, Count, Integer, Number, Record

Interval = tuple[Number, Number]


class CurvePoint(Record, frozen=True, kw_only=True):
    """One depth; values are None if no reading passed its checks."""

    depth: Count
    iops: Amount | None  # median of the accepted readings
    iops_min: Amount | None
    iops_max: Amount | None
    latency_ns: Latency | None  # of all accepted readings, merged
    ok: bool
    readings: Count  # accepted ones
    masked: tuple[str, ...]  # the checks that rejected readings missed


class RecommendedDepths(Record, frozen=True, kw_only=True):
    """The depths to choose from; None if the curve does not show one."""

    latency_optimal: Count | None = None
    knee: Count | None = None
    slo: Count | None = None


class CurveReading(Record, frozen=True, kw_only=True):
    """One run at one depth, accepted or masked."""

    depth: Count
    iops: Amount
    seconds: Amount
    series: tuple[Amount, ...]  # requests per second in each tenth of a second
    littles_law_error: Number | None
    cpu_delay_share: Amount | None
    ok: bool
    failed: tuple[str, ...]


class CurveResult(RecordedResult, frozen=True, kw_only=True, tag="stallscope.io.curve/1"):
    """A response curve. Rates are in requests per second; an unknown value is None."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {
        "most_iops": "max_iops",
    }

    path: str
    requests: CurveRequests
    points: tuple[CurvePoint, ...]
    recommended: RecommendedDepths
    slo_p99_ns: Amount | None
    slo_why_not: str | None
    intervals: dict[str, Interval | None]  # of 95 % of bootstrap replicates, by field name
    max_iops: Amount | None
    saturation_depth: Number | None
    knee_reached: bool | None
    verdict: str
    findings: tuple[CurveFinding, ...]
    io_properties: dict[str, str | Integer] | None
    readings: tuple[CurveReading, ...]
    facts: dict[str, str]  # label to text: what was measured, and how
    seconds: Amount

    @property
    def title(self) -> str:
        """Return the subject of the measurement."""
        return f"Response curve of {self.path}"

    def names_of(self, depth: int) -> tuple[str, ...]:
        """Return the names of a depth, such as ("knee",)."""
        return tuple(named.name for named in named_depths(self) if named.depth == depth)


class NamedDepth(Record, frozen=True):
    """A recommended depth with its name; ``text`` gives its interval, or why there is none."""

    name: str
    depth: int | None
    text: str


_NAMED_DEPTHS = {
    "latency_optimal": ("latency-optimal", "most throughput for the latency"),
    "knee": ("knee", "the smallest depth with 95 % of the throughput"),
    "slo": ("p99 kept", "the deepest that keeps the stated p99"),
}


def named_depths(result: CurveResult) -> tuple[NamedDepth, ...]:
    """Return the three recommended depths in the order in which text and page show them."""
    depths = []
    for key, (name, meaning) in _NAMED_DEPTHS.items():
        depth: int | None = getattr(result.recommended, key)
        interval = result.intervals.get(key)
        text = meaning
        if key == "slo" and depth is None:
            text = result.slo_why_not or ""
        elif interval is not None:
            low, high = interval
            text = f"{meaning}; {low:.0f} to {high:.0f} in 95 of 100 replicates"
        depths.append(NamedDepth(name, depth, text))
    return tuple(depths)


def curve_result(
    curve: Curve,
    requests: CurveRequests,
    properties: DiskProperties | None,
    conditions: DiskConditions,
) -> CurveResult:
    """Return the result of a measured or simulated curve."""
    estimates = curve.estimates
    saturation = estimates.saturation_depth if estimates else None
    return CurveResult(
        source=conditions.source,
        complete=curve.complete,
        path=conditions.path,
        requests=requests,
        points=tuple(map(_point, curve.depths)),
        recommended=_recommended(estimates),
        slo_p99_ns=curve.plan.slo_p99_ns,
        slo_why_not=estimates.slo_missing if estimates else "too few readings passed their checks",
        intervals=_intervals(estimates),
        max_iops=estimates.max_iops.value if estimates else None,
        saturation_depth=saturation.value if saturation else None,
        knee_reached=estimates.knee_reached if estimates else None,
        verdict=curve.findings[0].verdict,
        findings=curve.findings,
        io_properties=properties.document() if properties else None,
        readings=tuple(map(_reading, curve.readings)),
        facts=dict(conditions.facts),
        warnings=conditions.warnings,
        seconds=conditions.seconds,
    )


def _point(readings: DepthReadings) -> CurvePoint:
    rates = [reading.iops for reading in readings.accepted]
    return CurvePoint(
        depth=readings.depth,
        iops=readings.iops,
        iops_min=min(rates, default=None),
        iops_max=max(rates, default=None),
        latency_ns=readings.latencies,
        ok=readings.ok,
        readings=len(rates),
        masked=tuple(sorted({check for masked in readings.masked for check in masked.failed})),
    )


def _reading(reading: DepthReading) -> CurveReading:
    return CurveReading(
        depth=reading.depth,
        iops=reading.iops,
        seconds=reading.seconds,
        series=reading.series,
        littles_law_error=reading.littles_law_error,
        cpu_delay_share=reading.cpu_delay_share,
        ok=not reading.failed,
        failed=reading.failed,
    )


def _recommended(estimates: CurveEstimates | None) -> RecommendedDepths:
    if estimates is None:
        return RecommendedDepths()
    return RecommendedDepths(
        latency_optimal=round(estimates.latency_optimal.value),
        knee=round(estimates.knee.value),
        slo=estimates.slo,
    )


def _intervals(estimates: CurveEstimates | None) -> dict[str, Interval | None]:
    if estimates is None:
        return {}
    by_name = {
        "latency_optimal": estimates.latency_optimal,
        "knee": estimates.knee,
        "max_iops": estimates.max_iops,
        "saturation_depth": estimates.saturation_depth,
    }
    return {
        name: None if estimate is None else (estimate.low, estimate.high)
        for name, estimate in by_name.items()
    }
