"""A run of `stallscope io curve`: opens the target, measures, records and prints."""

import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from harness.cli.errors import report_error
from harness.cli.outputs import check_place, write_whole
from harness.cli.terminal import LiveLine, note, width
from harness.io.conditions import DiskConditions
from harness.io.curve.options import CurveOptions
from harness.io.curve.panel import panels
from harness.io.curve.result import CurveResult, curve_result
from harness.io.curve.text import lines
from harness.io.recorder import RecordedFile, Recorder
from harness.io.target_facts import (
    engine_facts,
    failure_notes,
    known_limits,
    open_with_progress,
    target_facts,
)
from ioprobe.curve.engine_readings import engine_readings
from ioprobe.curve.io_properties import DiskProperties, properties_text
from ioprobe.curve.measurement import Curve, CurveProgress, measure_curve
from ioprobe.engine.runner import EngineRunner
from ioprobe.mix.disk_limits import SMALL_BYTES, RequestKind, max_rate
from ioprobe.mix.engine_readings import engine_reading
from ioprobe.target.target import DiskTarget, TargetKind
from stallscope.errors import ExitCode, StallscopeError, UnableError


def run_curve(options: CurveOptions, *, as_json: bool) -> int:
    """Return the exit code after the curve was measured, recorded and printed."""
    if options.io_properties is not None:
        check_place(options.io_properties)
    live = LiveLine()
    with Recorder("curve", options.path, options.output, force=options.force) as recorder:
        try:
            with open_with_progress(options.path, options.target, live) as target:
                curve, properties, result = _measure(options, target, live)
        finally:
            live.clear()
        files = {}
        if properties is not None:
            text = properties_text(properties)
            files["io-properties.yaml"] = RecordedFile("seastar's I/O properties, YAML", text)
        result = recorder.keep(result, panels(result), files)
    recorder.show(result, lines(result, width()), as_json=as_json)
    if options.io_properties is not None and curve.failure is None:
        _write_properties(options.io_properties, properties)
    return int(ExitCode.DONE) if curve.failure is None else report_error(curve.failure)


def _measure(
    options: CurveOptions, target: DiskTarget, live: LiveLine
) -> tuple[Curve, DiskProperties | None, CurveResult]:
    start_s = time.monotonic()
    requests = options.requests
    runner = EngineRunner(target)
    limits = known_limits(target)

    def show_progress(progress: CurveProgress) -> None:
        live.show(
            f"{progress.phase}: depth {progress.depth}; about {progress.left_s:.0f} s left "
            "(Ctrl-C keeps the results so far)"
        )

    curve = measure_curve(
        options.plan, partial(engine_readings, runner, requests), show_progress, limits=limits
    )
    properties = None
    if curve.complete:
        curve, properties = _measure_limits(options, target, runner, curve, live)
    conditions = DiskConditions(
        path=options.path,
        modelled=target.kind is TargetKind.SIMULATED,
        facts=target_facts(target, limits) | engine_facts(runner),
        warnings=(*target.warnings, *runner.notes, *failure_notes(curve.failure)),
        seconds=time.monotonic() - start_s,
    )
    return curve, properties, curve_result(curve, requests, properties, conditions)


def _measure_limits(
    options: CurveOptions, target: DiskTarget, runner: EngineRunner, curve: Curve, live: LiveLine
) -> tuple[Curve, DiskProperties]:
    """Return the disk's limits, and the curve, which is incomplete if it was interrupted here.

    The limits are the rates of small and large requests, reads and, if allowed, writes.
    """
    rates: dict[tuple[bool, bool], float | None] = {}  # by (writes, large)
    requests = options.requests
    is_small = requests.block_bytes == SMALL_BYTES and requests.pattern == "random"
    if curve.estimates is not None and is_small:
        rates[options.writes, False] = curve.estimates.max_iops.value
    try:
        for writes in (False, True) if options.writes else (False,):
            for large in (False, True):
                kind = RequestKind(writes, large)
                if (writes, large) not in rates and kind.block_bytes <= target.span_bytes:
                    live.show(f"maximum rate of {kind.text}")
                    seconds = options.plan.duration_s
                    measure = partial(engine_reading, runner)
                    rates[writes, large] = max_rate(kind, measure, duration_s=seconds)
    except KeyboardInterrupt:
        curve = replace(curve, complete=False)
    except StallscopeError as error:
        curve = replace(curve, complete=False, failure=error)
    mount = target.mount.mount_point if target.mount else options.path
    kinds = ((False, False), (False, True), (True, False), (True, True))
    return curve, DiskProperties(mount, *(rates.get(kind) for kind in kinds))


def _write_properties(path: Path, properties: DiskProperties | None) -> None:
    if properties is None:
        raise UnableError(
            f"{path} was not written: the measurement was interrupted before the disk's limits "
            "were known",
            "let the measurement finish",
        )
    write_whole(path, [properties_text(properties)])
    note(f"wrote {path}")
