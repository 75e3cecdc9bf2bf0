"""The document of `stallscope io curve`: what scripts rely on, and all that the report shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from ioprobe.curve.disk_limits import SMALL_BYTES
from ioprobe.curve.estimates import Estimate, Estimates
from ioprobe.curve.io_properties import DiskProperties
from ioprobe.curve.readings import DepthReadings, Reading
from ioprobe.curve.rounds import Curve

SCHEMA = "stallscope.io.curve/1"


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of a curve."""

    block_bytes: int
    pattern: str  # "random" or "sequential"
    writes: bool

    @property
    def is_small(self) -> bool:
        """Return whether they tell the requests a second of io-properties.yaml."""
        return self.block_bytes == SMALL_BYTES and self.pattern == "random"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A curve with what it was measured of and by; ``facts`` are labels and texts."""

    path: str
    modelled: bool
    requests: Requests
    curve: Curve
    properties: DiskProperties | None
    facts: dict[str, str]
    warnings: Sequence[str]
    seconds: float


def curve_document(measured: Measurement) -> dict[str, object]:
    """Return ``stallscope.io.curve/1``; what is not known is null."""
    curve, found = measured.curve, measured.curve.estimates
    asked = measured.requests
    return {
        "schema": SCHEMA,
        "source": "modelled" if measured.modelled else "measured",
        "path": measured.path,
        "requests": {
            "block_bytes": asked.block_bytes,
            "pattern": asked.pattern,
            "kind": "writes" if asked.writes else "reads",
        },
        "points": [_point(one) for one in curve.depths],
        "recommended": {
            "latency_optimal": found and round(found.latency_optimal.value),
            "knee": found and round(found.knee.value),
            "slo": found and found.slo,
        },
        "slo_p99_ns": curve.plan.slo_p99_ns,
        "slo_why_not": found.slo_why_not if found else "nothing was measured well enough",
        "intervals": _intervals(found),
        "most_iops": found and found.most_iops.value,
        "saturation_depth": found and found.saturation_depth and found.saturation_depth.value,
        "knee_reached": found and found.knee_reached,
        "verdict": str(curve.findings[0].verdict),
        "findings": [{"verdict": str(one.verdict), "text": one.text} for one in curve.findings],
        "io_properties": measured.properties and measured.properties.document(),
        "readings": [_reading(one) for one in curve.readings],
        "facts": measured.facts,
        "warnings": list(measured.warnings),
        "seconds": measured.seconds,
        "complete": curve.complete,
    }


def _point(one: DepthReadings) -> dict[str, object]:
    latencies, iops = one.latencies, [each.iops for each in one.accepted]
    return {
        "depth": one.depth,
        "iops": one.iops,
        "iops_min": min(iops, default=None),
        "iops_max": max(iops, default=None),
        "latency_ns": latencies and latencies.document(),
        "ok": one.ok,
        "readings": len(one.accepted),
        "masked": sorted({why for each in one.masked for why in each.failed}),
    }


def _reading(one: Reading) -> dict[str, object]:
    return {
        "depth": one.depth,
        "iops": one.iops,
        "seconds": one.seconds,
        "series": list(one.series),
        "littles_law_error": one.littles_law_error,
        "cpu_delay_share": one.cpu_delay_share,
        "ok": not one.failed,
        "failed": list(one.failed),
    }


def _intervals(found: Estimates | None) -> dict[str, list[float] | None]:
    if found is None:
        return {}
    known: dict[str, Estimate | None] = {
        "latency_optimal": found.latency_optimal,
        "knee": found.knee,
        "most_iops": found.most_iops,
        "saturation_depth": found.saturation_depth,
    }
    return {name: None if one is None else [one.low, one.high] for name, one in known.items()}
