"""One `stallscope io curve`: target, measurement with time left, document, recording."""

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path

from harness.cli.command_line import report_error
from harness.cli.outputs import check_place, write_whole
from harness.cli.terminal import LiveLine, note, width
from harness.io.curve.document import Measurement, Requests, curve_document
from harness.io.curve.shown import curve_shown
from harness.io.curve.text import lines
from harness.io.recorder import Recorder
from harness.io.target_facts import engine_facts, failure_notes, known_limits, opened, target_facts
from ioprobe.curve.disk_limits import Kind, most_of
from ioprobe.curve.io_properties import DiskProperties, properties_text
from ioprobe.curve.plan import CurvePlan
from ioprobe.curve.rounds import Curve, Progress, measure_curve
from ioprobe.engine.runs import EngineRuns
from ioprobe.target.target import Target, TargetKind, Wanted
from stallscope.errors import ExitCode, StallscopeError, UnableError
from stallscope.json_fields import Fields


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """What was asked."""

    path: str
    plan: CurvePlan
    requests: Requests
    size_bytes: int
    span_bytes: int | None
    destroy: str | None
    output: Path | None
    properties: Path | None
    force: bool

    @property
    def wanted(self) -> Wanted:
        """Return what is wanted of the target."""
        return Wanted(
            writable=self.requests.writes,
            destroy=self.destroy,
            size_bytes=self.size_bytes,
            span_bytes=self.span_bytes,
            block_bytes=(self.requests.block_bytes,),
        )


def run_curve(request: CurveRequest, *, as_json: bool) -> int:
    """Return the exit code, once the curve is measured, written and told."""
    if request.properties is not None:
        check_place(request.properties)
    live = LiveLine()
    with Recorder("curve", request.path, request.output, force=request.force) as recorder:
        try:
            with opened(request.path, request.wanted, live) as target:
                measured = _measured(request, target, live)
        finally:
            live.clear()
        document = curve_document(measured)
        files = {}
        if measured.properties is not None:
            text = properties_text(measured.properties)
            files["io-properties.yaml"] = ("seastar's I/O properties, YAML", text)
        recorder.keep(document, files, measured.warnings)
    shown = curve_shown(Fields(json.loads(json.dumps(document)), "what was measured"))
    recorder.tell(document, lines(shown, width()), as_json=as_json)
    failure = measured.curve.failure
    if request.properties is not None and failure is None:
        _write_properties(request.properties, measured.properties)
    return int(ExitCode.DONE) if failure is None else report_error(failure)


def _measured(request: CurveRequest, target: Target, live: LiveLine) -> Measurement:
    began = time.monotonic()
    asked = request.requests
    share = 0.0 if asked.writes else 1.0
    runs = EngineRuns(target, asked.block_bytes, asked.pattern, share)
    limits = known_limits(target)

    def say(progress: Progress) -> None:
        live.show(
            f"{progress.what}: depth {progress.depth}; about {progress.left_s:.0f} s left "
            "(Ctrl-C keeps what was measured)"
        )

    curve = measure_curve(request.plan, runs.of_curve, say, limits=limits)
    properties = None
    if curve.complete:
        curve, properties = _with_properties(request, target, runs, curve, live)
    return Measurement(
        path=request.path,
        modelled=target.kind is TargetKind.SIMULATED,
        requests=asked,
        curve=curve,
        properties=properties,
        facts=target_facts(target, limits) | engine_facts(runs),
        warnings=(*target.warnings, *runs.notes, *failure_notes(curve.failure)),
        seconds=time.monotonic() - began,
    )


def _with_properties(
    request: CurveRequest, target: Target, runs: EngineRuns, curve: Curve, live: LiveLine
) -> tuple[Curve, DiskProperties]:
    """Return the curve, incomplete where ended here, and the limits that are not on it."""
    found: dict[tuple[bool, bool], float | None] = {}
    asked = request.requests
    if curve.estimates is not None and asked.is_small:
        found[asked.writes, False] = curve.estimates.most_iops.value
    try:
        for writes in (False, True) if asked.writes else (False,):
            for large in (False, True):
                kind = Kind(writes, large)
                if (writes, large) not in found and kind.block_bytes <= target.span_bytes:
                    live.show(f"the most {kind.text}")
                    seconds = request.plan.duration_s
                    found[writes, large] = most_of(kind, runs.of_mix, duration_s=seconds)
    except KeyboardInterrupt:
        curve = replace(curve, complete=False)
    except StallscopeError as error:
        curve = replace(curve, complete=False, failure=error)
    mount = target.mount.mount_point if target.mount else request.path
    keys = ((False, False), (False, True), (True, False), (True, True))
    return curve, DiskProperties(mount, *(found.get(key) for key in keys))


def _write_properties(path: Path, properties: DiskProperties | None) -> None:
    if properties is None:
        raise UnableError(
            f"{path} was not written: the curve was ended before its limits were known",
            "let it come to its end",
        )
    write_whole(path, [properties_text(properties)])
    note(f"wrote {path}")
