"""The options of `stallscope io curve`, validated."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cli.quantity_options import size_of, time_ns
from harness.io.verb_options import check_force
from ioprobe.curve.plan import CurvePlan, CurveRequests
from ioprobe.target.target import TargetRequirements


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """What to measure, and where to write it."""

    path: str
    plan: CurvePlan
    requests: CurveRequests
    size_bytes: int  # of the scratch file, if one is used
    span_bytes: int | None  # None: the whole target
    destroy: str | None  # the block device to overwrite
    output: Path | None
    io_properties: Path | None
    force: bool

    @property
    def writes(self) -> bool:
        """Return whether the requests are writes."""
        return self.requests.kind == "writes"

    @property
    def target(self) -> TargetRequirements:
        """Return what the target must allow."""
        return TargetRequirements(
            writable=self.writes,
            destroy=self.destroy,
            size_bytes=self.size_bytes,
            span_bytes=self.span_bytes,
            block_bytes=(self.requests.block_bytes,),
        )


def curve_options(path: str, values: dict[str, Any]) -> CurveOptions:
    """Return the validated options; UsageError names the option with a wrong value."""
    check_force(values["output"], force=values["force"])
    return CurveOptions(
        path=path,
        plan=CurvePlan(
            max_depth=values["max_depth"],
            repeats=values["repeats"],
            duration_s=values["duration_s"],
            warmup_s=values["warmup_s"],
            slo_p99_ns=time_ns("--slo-p99", values["slo_p99"]),
        ),
        requests=CurveRequests(
            block_bytes=size_of("--block", values["block"]),
            pattern=values["pattern"],
            kind=values["kind"],
        ),
        size_bytes=size_of("--size", values["size"]),
        span_bytes=None if values["span"] is None else size_of("--span", values["span"]),
        destroy=values["destroy"],
        output=values["output"],
        io_properties=values["properties"],
        force=values["force"],
    )
