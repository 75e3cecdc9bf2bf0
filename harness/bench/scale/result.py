"""The result of `stallscope bench scale`: points, models, laws, bounds and a verdict."""

from enum import StrEnum

from harness.bench.scale.laws import DemandPoint, LawCheck
from stallscope.documents import Amount, Count, Document, Natural, Number, Record, field


class ScaleVerdict(StrEnum):
    """How throughput grows with the count."""

    RETROGRADE = "retrograde"  # it has a peak, beyond which it falls
    NO_RETROGRADE = "no retrograde evidence"
    LINEAR = "linear"
    CONSTANT = "constant"
    TOO_FEW_POINTS = "too few points"


class ScalePoint(Record, frozen=True, kw_only=True):
    """Throughput X at a count N: median and range of the runs."""

    n: Amount = field(name="N")
    throughput: Amount = field(name="X")
    low: Amount = field(name="X_low")
    high: Amount = field(name="X_high")
    runs: Natural
    speed_up: Amount  # relative to the smallest count's throughput per unit of N
    efficiency: Amount  # speed-up / N
    response_s: Amount | None
    residual: Number | None  # relative to X, of the USL


class CoefficientInterval(Record, frozen=True, kw_only=True):
    """A 95 % interval; None without degrees of freedom, or for a fixed coefficient."""

    low: Amount | None
    high: Amount | None
    error: Amount | None  # standard error


class LawFit(Record, frozen=True, kw_only=True):
    """The coefficients of a fitted law; ``kappa`` is 0 for Amdahl's.

    ``peak``, ``peak_throughput``, ``limit``: None if throughput has no peak, or no limit.
    """

    sigma: Amount
    kappa: Amount
    rate: Amount = field(name="lambda")
    sigma_interval: CoefficientInterval
    kappa_interval: CoefficientInterval
    rate_interval: CoefficientInterval = field(name="lambda_interval")
    rate_fixed: bool = field(name="lambda_fixed")
    at_bound: tuple[str, ...]  # coefficients that negative values would fit better
    peak: Amount | None
    peak_throughput: Amount | None
    limit: Amount | None
    r_squared: Number | None
    degrees_of_freedom: Count


class ThroughputBounds(Record, frozen=True, kw_only=True):
    """Bounds of throughput: linear growth from the smallest count, and saturated CPUs."""

    linear_per_n: Amount
    saturation: Amount | None  # None: no CPU time was measured
    cpus: Amount | None


class BesideValue(Record, frozen=True, kw_only=True):
    """A thread state's share or a counter's rate, by count; None if it was not recorded."""

    name: str
    unit: str
    values: tuple[Number | None, ...]


class Beside(Record, frozen=True, kw_only=True):
    """What recordings at some counts show: thread states and counters."""

    counts: tuple[Natural, ...]
    recordings: tuple[str, ...]
    states: tuple[BesideValue, ...]
    counters: tuple[BesideValue, ...]


class BenchScaleResult(Document, frozen=True, kw_only=True, tag="stallscope.bench.scale/1"):
    """Throughput by count with its models; a model is None if it has too few points."""

    title: str
    axis: str
    unit: str  # of X
    source: str  # "measured" or "table"
    points: tuple[ScalePoint, ...]
    amdahl: LawFit | None
    usl: LawFit | None
    verdict: ScaleVerdict
    reason: str
    bounds: ThroughputBounds
    little: tuple[LawCheck, ...]
    utilization: tuple[LawCheck, ...]
    demands: tuple[DemandPoint, ...]
    beside: Beside | None
    warnings: tuple[str, ...]
