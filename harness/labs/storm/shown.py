"""A storm's document as text and page show it, read again: strangers may have written it."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.page.figures import share_text, value_text
from stallscope.json_fields import Fields
from stallscope.sizes import size_text

LATENCIES = ("p50", "p90", "p99", "p99.9", "max")
HEADS = ("", *LATENCIES, "written", "in our queue", "below it", "iowait")


@dataclass(frozen=True, slots=True)
class RowShown:
    """One setting; a value is None where no run passed its checks, or it cannot be known."""

    name: str
    limit: int | None
    is_recommended: bool
    reader_ns: dict[str, float | None]
    writer_bytes_per_s: float | None
    pending: float | None
    in_flight: float | None
    iowait_share: float | None
    rounds: int
    masked: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the texts under ``HEADS``."""
        latencies = [_latency(self.reader_ns[name]) for name in LATENCIES]
        written = self.writer_bytes_per_s
        return (
            f"{self.name}{' *' if self.is_recommended else ''}",
            *latencies,
            "n/a" if written is None else f"{size_text(round(written))}/s",
            "n/a" if self.pending is None else f"{self.pending:.1f}",
            "n/a" if self.in_flight is None else f"{self.in_flight:.1f}",
            "n/a" if self.iowait_share is None else share_text(self.iowait_share),
        )


@dataclass(frozen=True, slots=True)
class RatioShown:
    """A quantity's ratio; None where too few runs have it."""

    name: str
    median: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def text(self) -> str:
        """Return the ratio with its interval."""
        if self.median is None or self.low is None or self.high is None:
            return f"{self.name} n/a"
        return f"{self.name} {self.median:.3f}x ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, slots=True)
class StormShown:
    """All that is shown of a storm."""

    path: str
    source: str
    asked: str
    alone: RowShown | None
    shared: tuple[RowShown, ...]
    first_come: tuple[RowShown, ...]
    recommended: int
    how: str
    against: int | None  # None: no limit
    writer_depth: int
    ratios: tuple[RatioShown, ...]
    ratios_no_limit: tuple[RatioShown, ...]
    verdict: str
    reason: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    complete: bool

    @property
    def title(self) -> str:
        """Return what was measured, in a line."""
        return f"A reader beside a storm of writes on {self.path}: {self.asked}, {self.source}"

    @property
    def rows(self) -> Sequence[RowShown]:
        """Return all rows in the order of the table."""
        return (*((self.alone,) if self.alone else ()), *self.first_come, *self.shared)


def storm_shown(fields: Fields) -> StormShown:
    """Return what is to be shown; RecordingError where the document is damaged."""
    facts, options, recommended = (fields.fields(k) for k in ("facts", "options", "recommended"))
    alone = fields.values.get("reader_alone")
    shares = "shares " + ":".join(str(one) for one in options.integers("shares"))
    return StormShown(
        path=fields.text("path"),
        source=fields.text("source"),
        asked=fields.text("asked"),
        alone=None if alone is None else _row(fields.fields("reader_alone"), "reader alone"),
        shared=tuple(_row(one, shares) for one in fields.objects("rows")),
        first_come=tuple(_row(one, "first come") for one in fields.objects("first_come")),
        recommended=recommended.count("limit"),
        how=recommended.text("how"),
        against=fields.maybe_count("against"),
        writer_depth=options.count("writer_depth"),
        ratios=_ratios(fields.fields("ratios")),
        ratios_no_limit=_ratios(fields.fields("ratios_against_no_limit")),
        verdict=fields.text("verdict"),
        reason=fields.text("verdict_reason"),
        facts=tuple((label, facts.text(label)) for label in facts.values),
        warnings=fields.texts("warnings"),
        complete=fields.boolean("complete"),
    )


def _row(one: Fields, kind: str) -> RowShown:
    limit = one.maybe_count("limit")
    reader = one.fields("reader_ns")
    is_alone = kind == "reader alone"
    name = kind if is_alone else f"{'no limit' if limit is None else f'limit {limit}'}, {kind}"
    return RowShown(
        name=name,
        limit=limit,
        is_recommended=one.boolean("recommended"),
        reader_ns={name: reader.maybe_number(name) for name in LATENCIES},
        writer_bytes_per_s=one.maybe_number("writer_bytes_per_s"),
        pending=one.maybe_number("pending"),
        in_flight=one.maybe_number("in_flight"),
        iowait_share=one.maybe_share("iowait_share"),
        rounds=one.count("rounds"),
        masked=one.texts("masked"),
    )


def _ratios(found: Fields) -> tuple[RatioShown, ...]:
    names = {name: name for name in LATENCIES} | {"writer_bytes_per_s": "writer's bandwidth"}
    return tuple(
        RatioShown(
            told,
            one.maybe_number("median"),
            one.maybe_number("low"),
            one.maybe_number("high"),
            one.count("n", 0),
        )
        for name, told in names.items()
        for one in (found.fields(name),)
    )


def _latency(value: float | None) -> str:
    return "n/a" if value is None else value_text(round(value), "ns")
