"""One `stallscope io mix`: target, measurement with time left, document, recording, picture."""

import json
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.cli.errors import report_error
from harness.cli.outputs import check_place, write_whole
from harness.cli.terminal import LiveLine, note, width
from harness.io.mix.document import MixMeasurement, mix_document
from harness.io.mix.shown import MixShown, mix_shown
from harness.io.mix.text import lines
from harness.io.recorder import Recorder
from harness.io.target_facts import engine_facts, failure_notes, known_limits, opened, target_facts
from ioprobe.engine.runner import EngineRunner
from ioprobe.mix.engine_readings import engine_reading
from ioprobe.mix.measurement import MixProgress, measure_mix
from ioprobe.mix.plan import MixPlan
from ioprobe.target.target import Target, TargetKind, TargetRequirements
from stallscope.errors import ExitCode
from stallscope.json_fields import Fields


@dataclass(frozen=True, slots=True)
class MixRequest:
    """What was asked."""

    path: str
    plan: MixPlan
    size_bytes: int
    span_bytes: int | None
    destroy: str | None
    output: Path | None
    picture: Path | None
    force: bool

    @property
    def wanted(self) -> TargetRequirements:
        """Return what is wanted of the target."""
        return TargetRequirements(
            writable=self.plan.writes,
            destroy=self.destroy,
            size_bytes=self.size_bytes,
            span_bytes=self.span_bytes,
            block_bytes=(self.plan.block_bytes, *self.plan.sizes_bytes),
        )


def run_mix(request: MixRequest, *, as_json: bool) -> int:
    """Return the exit code, once the matrix is measured, written and told."""
    if request.picture is not None:
        check_place(request.picture)
    live = LiveLine()
    with Recorder("mix", request.path, request.output, force=request.force) as recorder:
        try:
            with opened(request.path, request.wanted, live) as target:
                measured = _measured(request, target, live)
        finally:
            live.clear()
        document = mix_document(measured)
        shown = mix_shown(Fields(json.loads(json.dumps(document)), "what was measured"))
        recorder.keep_document(document, {}, measured.warnings)
    recorder.tell(document, lines(shown, width()), as_json=as_json)
    if request.picture is not None:
        kind = request.picture.suffix.lower().lstrip(".")
        write_whole(request.picture, [_picture(shown, kind)])
        note(f"wrote {request.picture}")
    failure = measured.mix.failure
    return int(ExitCode.DONE) if failure is None else report_error(failure)


def _picture(shown: MixShown, file_format: str) -> bytes:
    from harness.io.mix.picture import mix_picture  # noqa: PLC0415 - matplotlib is slow to load

    return mix_picture(shown, file_format)


def _measured(request: MixRequest, target: Target, live: LiveLine) -> MixMeasurement:
    began = time.monotonic()
    runs = EngineRunner(target)

    def say(progress: MixProgress) -> None:
        live.show(
            f"{progress.phase}; at most {progress.left_s:.0f} s left "
            "(Ctrl-C keeps what was measured)"
        )

    mix = measure_mix(request.plan, partial(engine_reading, runs), say)
    return MixMeasurement(
        path=request.path,
        modelled=target.kind is TargetKind.SIMULATED,
        mix=mix,
        facts=target_facts(target, known_limits(target)) | engine_facts(runs),
        warnings=(*target.warnings, *runs.notes, *failure_notes(mix.failure)),
        seconds=time.monotonic() - began,
    )
