"""What a run of the loader found: its own document, read with every type checked."""

from collections.abc import Mapping
from dataclasses import dataclass

from stallscope.json_fields import Fields

SCHEMA = "stallscope.load/1"
PERCENTILES = ("p50", "p90", "p99", "p99.9", "max")


@dataclass(frozen=True, slots=True)
class Percentiles:
    """A distribution's percentiles in microseconds; None where nothing was counted."""

    p50: float | None
    p90: float | None
    p99: float | None
    p999: float | None
    largest: float | None

    @classmethod
    def of(cls, fields: Fields) -> "Percentiles":
        """Return the percentiles that the loader wrote."""
        return cls(*(fields.maybe_number(name) for name in PERCENTILES))

    def document(self) -> dict[str, float | None]:
        """Return them by the names that scripts rely on."""
        values = (self.p50, self.p90, self.p99, self.p999, self.largest)
        return dict(zip(PERCENTILES, values, strict=True))


@dataclass(frozen=True, slots=True)
class LoadSecond:
    """One second of a run, as it went by."""

    t_s: float
    requests: int
    errors: int
    p50_us: float | None
    p99_us: float | None

    @classmethod
    def of(cls, fields: Fields) -> "LoadSecond":
        """Return the second that a line of the loader's tells."""
        return cls(
            t_s=fields.number("t"),
            requests=fields.count("requests", 0),
            errors=fields.count("errors", 0),
            p50_us=fields.maybe_number("p50_us"),
            p99_us=fields.maybe_number("p99_us"),
        )


@dataclass(frozen=True, slots=True)
class LoadResult:
    """A whole run after its warm-up. Latency counts from the intended start, service from sending.

    ``document`` is the loader's own, as it stands in load.json.
    """

    rate_asked: float | None  # None of a closed loop
    rate_achieved: float | None  # None where nothing was measured
    requests: int
    errors: int
    latency_us: Percentiles
    service_us: Percentiles
    send_lag_us: Percentiles
    limited_by_loader: bool
    why: str
    cpu_s: float
    warnings: tuple[str, ...]
    document: Mapping[str, object]

    @classmethod
    def of(cls, fields: Fields) -> "LoadResult":
        """Return the run that the loader's document tells; RecordingError where it is damaged."""
        return cls(
            rate_asked=fields.maybe_number("rate_asked"),
            rate_achieved=fields.maybe_number("rate_achieved"),
            requests=fields.count("requests"),
            errors=fields.count("errors", 0),
            latency_us=Percentiles.of(fields.fields("latency_us")),
            service_us=Percentiles.of(fields.fields("service_us")),
            send_lag_us=Percentiles.of(fields.fields("send_lag_us")),
            limited_by_loader=fields.boolean("limited_by_loader", default=False),
            why="" if fields.values.get("why") is None else fields.text("why"),
            cpu_s=fields.number("cpu_s"),
            warnings=fields.texts("warnings"),
            document=fields.values,
        )
