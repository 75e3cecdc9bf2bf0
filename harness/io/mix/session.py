"""A run of `stallscope io mix`: opens the target, measures, records and prints."""

import time
from functools import partial

from harness.cli.errors import report_error
from harness.cli.outputs import check_place, write_whole
from harness.cli.terminal import LiveLine, note, width
from harness.io.conditions import DiskConditions
from harness.io.mix.options import MixOptions
from harness.io.mix.panel import panels
from harness.io.mix.result import MixResult, mix_result
from harness.io.mix.text import lines
from harness.io.recorder import Recorder
from harness.io.target_facts import (
    engine_facts,
    failure_notes,
    known_limits,
    open_with_progress,
    target_facts,
)
from ioprobe.engine.runner import EngineRunner
from ioprobe.mix.engine_readings import engine_reading
from ioprobe.mix.measurement import MixProgress, ReadWriteMix, measure_mix
from ioprobe.target.target import DiskTarget, TargetKind
from stallscope.errors import ExitCode


def run_mix(options: MixOptions, *, as_json: bool) -> int:
    """Return the exit code after the mix was measured, recorded and printed."""
    if options.picture is not None:
        check_place(options.picture)
    live = LiveLine()
    with Recorder("mix", options.path, options.output, force=options.force) as recorder:
        try:
            with open_with_progress(options.path, options.target, live) as target:
                mix, result = _measure(options, target, live)
        finally:
            live.clear()
        result = recorder.keep(result, panels(result))
    recorder.show(result, lines(result, width()), as_json=as_json)
    if options.picture is not None:
        from harness.io.mix.picture import mix_picture  # noqa: PLC0415 - matplotlib is slow to load

        write_whole(options.picture, [mix_picture(result, options.picture_format)])
        note(f"wrote {options.picture}")
    return int(ExitCode.DONE) if mix.failure is None else report_error(mix.failure)


def _measure(
    options: MixOptions, target: DiskTarget, live: LiveLine
) -> tuple[ReadWriteMix, MixResult]:
    start_s = time.monotonic()
    runner = EngineRunner(target)

    def show_progress(progress: MixProgress) -> None:
        live.show(
            f"{progress.phase}; at most {progress.left_s:.0f} s left "
            "(Ctrl-C keeps the results so far)"
        )

    mix = measure_mix(options.plan, partial(engine_reading, runner), show_progress)
    conditions = DiskConditions(
        path=options.path,
        modelled=target.kind is TargetKind.SIMULATED,
        facts=target_facts(target, known_limits(target)) | engine_facts(runner),
        warnings=(*target.warnings, *runner.notes, *failure_notes(mix.failure)),
        seconds=time.monotonic() - start_s,
    )
    return mix, mix_result(mix, conditions)
