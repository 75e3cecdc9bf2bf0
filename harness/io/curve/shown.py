"""A curve's document as text and page show it, read again: strangers may have written it."""

from dataclasses import dataclass

from ioprobe.engine.lines import latency_of
from ioprobe.engine.points import Latency
from stallscope.json_fields import Fields
from stallscope.sizes import size_text

DEPTHS = {
    "latency_optimal": ("latency-optimal", "most throughput for the latency"),
    "knee": ("knee", "the least with 95 % of the throughput"),
    "slo": ("p99 kept", "the deepest that keeps the stated p99"),
}


@dataclass(frozen=True, slots=True)
class PointShown:
    """One depth; numbers are None where no reading passed its checks."""

    depth: int
    iops: float | None
    iops_min: float | None
    iops_max: float | None
    latencies: Latency | None
    readings: int
    masked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DepthShown:
    """A depth with a name; ``text`` says its interval, or why there is none."""

    name: str
    depth: int | None
    text: str


@dataclass(frozen=True, slots=True)
class FindingShown:
    """A verdict and its reason."""

    verdict: str
    text: str


@dataclass(frozen=True, slots=True)
class CurveShown:
    """All that is shown of a curve."""

    path: str
    source: str
    requests: str
    points: tuple[PointShown, ...]
    depths: tuple[DepthShown, ...]
    findings: tuple[FindingShown, ...]
    most_iops: float | None
    slo_p99_ns: float | None
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    complete: bool

    @property
    def title(self) -> str:
        """Return what was measured, in a line."""
        return f"Response curve of {self.path}: {self.requests}, {self.source}"

    def marks(self, depth: int) -> tuple[str, ...]:
        """Return the names that a depth has."""
        return tuple(one.name for one in self.depths if one.depth == depth)


def curve_shown(fields: Fields) -> CurveShown:
    """Return what is to be shown; RecordingError where the document is damaged."""
    asked = fields.fields("requests")
    facts = fields.fields("facts")
    size = size_text(asked.count("block_bytes"))
    return CurveShown(
        path=fields.text("path"),
        source=fields.text("source"),
        requests=f"{size} {asked.text('pattern', '')} {asked.text('kind', '')}",
        points=tuple(_point(one) for one in fields.objects("points")),
        depths=tuple(_depths(fields)),
        findings=tuple(
            FindingShown(one.text("verdict"), one.text("text"))
            for one in fields.objects("findings")
        ),
        most_iops=fields.maybe_number("most_iops"),
        slo_p99_ns=fields.maybe_number("slo_p99_ns"),
        facts=tuple((label, facts.text(label)) for label in facts.values),
        warnings=fields.texts("warnings"),
        complete=fields.boolean("complete"),
    )


def _point(one: Fields) -> PointShown:
    return PointShown(
        one.count("depth"),
        one.maybe_number("iops"),
        one.maybe_number("iops_min"),
        one.maybe_number("iops_max"),
        latency_of(one, "latency_ns"),
        one.count("readings"),
        one.texts("masked"),
    )


def _depths(fields: Fields) -> list[DepthShown]:
    recommended, intervals = fields.fields("recommended"), fields.fields("intervals")
    shown = []
    for key, (name, what) in DEPTHS.items():
        depth = recommended.maybe_count(key)
        text = what
        if key == "slo" and depth is None:
            text = fields.text("slo_why_not", "")
        elif len(ends := intervals.numbers(key) if intervals.values.get(key) else ()) == 2:
            low, high = ends
            text = f"{what}; {low:.0f} to {high:.0f} in 95 of 100 replicates"
        shown.append(DepthShown(name, depth, text))
    return shown
