"""The document of `stallscope io probe`: what scripts rely on, and all that is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.io.probe.options import NAMES, ProbeRequest, Ways
from ioprobe.engine.engine import EngineFacts, PointResult

SCHEMA = "stallscope.io.probe/1"


@dataclass(frozen=True, slots=True)
class Probed:
    """What was measured: by direct requests, and through the page cache, or why not."""

    request: ProbeRequest
    kind: str  # of the target
    facts: Mapping[str, str]
    begun: EngineFacts
    direct: PointResult | None
    cached: PointResult | None
    cached_missing: str | None
    warnings: Sequence[str]
    complete: bool  # whether all was measured that was asked for

    @property
    def first(self) -> PointResult:
        """Return what the document's first level tells: direct requests, where they were."""
        first = self.direct or self.cached
        assert first is not None
        return first


def probe_document(probed: Probed) -> dict[str, object]:
    """Return ``stallscope.io.probe/1``; what is not known is null."""
    request = probed.request
    cached = probed.cached if probed.direct else None
    return {
        "schema": SCHEMA,
        "source": probed.first.source,
        "path": request.path,
        "kind": probed.kind,
        "cache": NAMES[Ways.DIRECT if probed.direct else Ways.CACHED],
        "block_bytes": request.block_bytes,
        "pattern": "sequential" if request.sequential else "random",
        **_measured(probed.first),
        "page_cache": cached and _measured(cached),
        "page_cache_missing": probed.cached_missing,
        "real_time_missing": probed.begun.real_time_missing,
        "io_uring_missing": probed.begun.io_uring_missing,
        "facts": dict(probed.facts),
        "warnings": list(probed.warnings),
        "complete": probed.complete,
    }


def _measured(found: PointResult) -> dict[str, object]:
    check, parts = found.self_check, found.parts_ns
    return {
        "requests": found.requests,
        "seconds": found.seconds,
        "iops": found.iops,
        "bytes_per_s": found.bytes_per_s,
        "latency_ns": found.latency_ns and found.latency_ns.document(),
        "histogram": [list(row) for row in found.histogram],
        "series": list(found.series),
        "parts_ns": {
            "queued": parts.queued,
            "submitting": parts.submitting,
            "device": parts.device,
            "own_cpu": parts.own_cpu,
        },
        "errors": dict(found.errors),
        "engine": found.engine,
        "real_time": found.real_time,
        "punts": found.punts,
        "cpu_s": found.cpu_s,
        "notes": list(found.notes),
        "self_check": {
            "littles_law_error": check.littles_law_error,
            "cpu_delay_share": check.cpu_delay_share,
            "ok": check.ok,
            "failed": list(check.failed),
        },
    }
