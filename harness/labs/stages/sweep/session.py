"""A run of `stallscope lab stages --footprint-sweep`."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from harness.cli.terminal import printable
from harness.labs.stages.measurement import (
    Replays,
    SideProfiles,
    SlotTrees,
    StagesMeasurement,
    StagesReading,
    capacity_per_s,
)
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import SATURATED
from harness.labs.stages.progress import Progress
from harness.labs.stages.replay import replay_sides
from harness.labs.stages.rounds import StagesSetup, measure_rounds
from harness.labs.stages.sweep.finding import sweep_finding
from harness.labs.stages.sweep.measurement import SweepMeasurement
from harness.labs.stages.sweep.panel import render_page
from harness.labs.stages.sweep.plan import (
    BATCH_LIMITS,
    FOOTPRINTS_KB,
    batch_options,
    check_sweep,
    expected_s,
    footprint_options,
)
from harness.labs.stages.sweep.result import SweepResult, sweep_result
from harness.labs.stages.sweep.text import lines
from harness.recordings.directory import make_new_directory
from harness.recordings.settings_text import settings_facts, settings_now, settings_since
from harness.workload.cores import Cores, two_cores, usable_cpus
from harness.workload.request_files import generate_path_requests
from stallscope.cpu_caches import code_caches
from stallscope.documents import encode
from stallscope.host import read_host
from stallscope.system_files import Roots

_NO_SLOTS = SlotTrees({}, "not counted in a sweep")
_NO_PROFILES = SideProfiles({}, "not recorded in a sweep")


@dataclass(slots=True)
class _Points:
    """The points so far, which an interruption keeps."""

    footprints: list[StagesMeasurement] = field(default_factory=list)
    batches: list[StagesMeasurement] = field(default_factory=list)


def run_sweep(options: StagesOptions, cpus: str | None, *, as_json: bool) -> SweepResult:
    """Return the result after the sweep was measured, written and printed."""
    check_sweep(options)
    sweep = measure_sweep(options, cpus)
    result = sweep_result(sweep)
    page = write_results(sweep, result)
    print_result(result, lines, as_json=as_json)
    if not as_json:
        click.echo(f"\npage  {printable(str(page))}")
    return result


def measure_sweep(
    options: StagesOptions,
    cpus: str | None,
    *,
    footprints_kb: tuple[int, ...] = FOOTPRINTS_KB,
    batch_limits: tuple[int, ...] = BATCH_LIMITS,
) -> SweepMeasurement:
    """Return the sweep; Ctrl-C ends it and keeps complete points.

    Raises UnableError if server and loader cannot have one CPU each, KeyboardInterrupt if no point
    was measured.
    """
    roots = Roots()
    cores = two_cores(roots, usable_cpus(cpus))
    make_new_directory(options.output)
    before = settings_now()
    points = _Points()
    progress = Progress(expected_s(options))
    interrupted = False
    try:
        file = options.output / "requests.resp"
        requests = generate_path_requests(options.path, file, options.seed)
        setup = StagesSetup(options, cores, requests)
        for footprint_kb in footprints_kb:
            point = replace(setup, options=footprint_options(options, footprint_kb))
            points.footprints.append(_measure_point(point, progress, replay=options.replay))
        best_kb = _best_footprint(_sweep(options, cores, points))
        for limit in batch_limits if best_kb is not None else ():
            assert best_kb is not None
            point = replace(setup, options=batch_options(options, best_kb, limit))
            points.batches.append(_measure_point(point, progress, replay=False))
    except KeyboardInterrupt:
        interrupted = True
        if not points.footprints:
            raise
    finally:
        progress.live.clear()
    return replace(
        _sweep(options, cores, points), interrupted=interrupted, settings=settings_since(before)
    )


def _sweep(options: StagesOptions, cores: Cores, points: _Points) -> SweepMeasurement:
    level2 = [cache for cache in code_caches(Roots().sys, cores.server) if cache.level == 2]
    return SweepMeasurement(
        options=options,
        cores=cores,
        l2_bytes=level2[0].size_bytes if level2 else None,
        footprints=tuple(points.footprints),
        batches=tuple(points.batches),
        interrupted=False,
    )


def _best_footprint(sweep: SweepMeasurement) -> int | None:
    best = sweep_finding(sweep).best
    return None if best is None else best.options.footprint_kb


def _measure_point(setup: StagesSetup, progress: Progress, *, replay: bool) -> StagesMeasurement:
    options = setup.options
    options.output.mkdir(parents=True)
    readings: list[StagesReading] = []
    name = f"{options.footprint_kb} KB of code"
    if options.max_batch is not None:
        name += f", batch limit {options.max_batch}"
    progress.begin_phase(name)
    measure_rounds(
        setup, [SATURATED], capacity_per_s=None, on_reading=_keep(readings, progress, options, name)
    )
    replays = Replays(None, None, "", "not simulated at this point")
    if replay:
        progress.show(f"{name}: replaying under callgrind")
        replays = replay_sides(setup)
    return StagesMeasurement(
        options=options,
        cores=setup.cores,
        readings=tuple(readings),
        capacity_per_s=capacity_per_s(readings),
        replays=replays,
        slots=_NO_SLOTS,
        profiles=_NO_PROFILES,
        interrupted=False,
    )


def _keep(
    readings: list[StagesReading], progress: Progress, options: StagesOptions, name: str
) -> Callable[[StagesReading], None]:
    def keep(reading: StagesReading) -> None:
        readings.append(reading)
        progress.advance(options.run_s)
        progress.show(f"{name}, {reading.run.side}: {reading.throughput_per_s:,.0f} requests/s")

    return keep


def write_results(sweep: SweepMeasurement, result: SweepResult) -> Path:
    """Return the path of the page, which is written beside ``sweep.json``."""
    output = sweep.options.output
    write_whole(output / "sweep.json", [encode(result, indent=1) + "\n"])
    host = read_host()
    facts = {"host": host.hostname, "CPU": host.cpu_model, "kernel": host.kernel_release}
    page = output / "report.html"
    text = render_page(result, output.resolve().name, facts | settings_facts(sweep.settings))
    write_whole(page, [text])
    return page
