"""A run of `stallscope lab stages`: CPUs, rounds, replay, counters, profiles, output."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

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
from harness.labs.stages.modelled_slots import model_sides
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.page_files import write_results
from harness.labs.stages.plan import SATURATED, Side
from harness.labs.stages.profiles import count_intervals, count_sides, profile_sides
from harness.labs.stages.progress import Progress, ignore_phase
from harness.labs.stages.replay import replay_sides
from harness.labs.stages.result import StagesResult, stages_result
from harness.labs.stages.rounds import StagesSetup, measure_rounds
from harness.labs.stages.text import lines
from harness.recordings.directory import make_new_directory
from harness.recordings.settings_text import settings_now, settings_since
from harness.topdown.phase_counts import PhaseCounts
from harness.workload.cores import two_cores, usable_cpus
from harness.workload.request_files import generate_path_requests
from stallscope.system_files import Roots

_REPLAY_S = 20.0  # expected time of both replays
_MODEL_S = 20.0  # expected time to model the slots of both sides
_ATTACH_S = 5.0  # expected time to attach, to end and to read a profile


@dataclass(slots=True)
class _State:
    """The measurements so far, which an interruption keeps."""

    readings: list[StagesReading] = field(default_factory=list)
    capacity_per_s: float | None = None
    replays: Replays = field(default_factory=lambda: Replays(None, None, "", "not reached"))
    slots: SlotTrees = field(default_factory=lambda: SlotTrees({}, "not reached"))
    counters: dict[Side, PhaseCounts] = field(default_factory=dict)
    profiles: SideProfiles = field(default_factory=lambda: SideProfiles({}, "not reached"))


def run_stages(
    options: StagesOptions,
    cpus: str | None,
    *,
    as_json: bool,
    on_phase: Callable[[str], None] = ignore_phase,
) -> tuple[StagesResult, Path]:
    """Return the result and the page's path after the lab was measured, written and printed."""
    lab = measure_stages(options, cpus, on_phase)
    result = stages_result(lab)
    page = write_results(lab, result)
    print_result(result, lines, as_json=as_json)
    if not as_json:
        click.echo(f"\npage  {printable(str(page))}")
    return result, page


def measure_stages(
    options: StagesOptions, cpus: str | None, on_phase: Callable[[str], None] = ignore_phase
) -> StagesMeasurement:
    """Return the measurements; Ctrl-C ends the lab and keeps complete pairs.

    ``on_phase`` receives every phase as it begins. Raises UnableError if server and loader cannot
    have one CPU each, KeyboardInterrupt if nothing was measured yet.
    """
    cores = two_cores(Roots(), usable_cpus(cpus), threads=options.threads)
    make_new_directory(options.output)
    before = settings_now()
    state = _State()
    progress = Progress(expected_s(options), on_phase)
    interrupted = False
    try:
        progress.begin_phase("generating requests")
        file = options.output / "requests.resp"
        requests = generate_path_requests(options.path, file, options.seed)
        _measure(StagesSetup(options, cores, requests), state, progress)
    except KeyboardInterrupt:
        interrupted = True
        if len(state.readings) < 2:
            raise
    finally:
        progress.live.clear()
    return StagesMeasurement(
        options=options,
        cores=cores,
        readings=tuple(state.readings),
        capacity_per_s=state.capacity_per_s,
        replays=state.replays,
        slots=state.slots,
        counters=state.counters,
        profiles=state.profiles,
        interrupted=interrupted,
        settings=settings_since(before),
    )


def expected_s(options: StagesOptions) -> float:
    """Return the approximate time of the whole lab."""
    profiles_s = 2 * (options.profile_s + _ATTACH_S) if options.profile_s else 0.0
    return options.rounds_s + profiles_s + (_REPLAY_S + _MODEL_S if options.replay else 0.0)


def _measure(setup: StagesSetup, state: _State, progress: Progress) -> None:
    options = setup.options

    def keep(reading: StagesReading) -> None:
        state.readings.append(reading)
        progress.advance(options.run_s)
        run = reading.run
        progress.show(
            f"{run.load.text}, pair {run.pair + 1} of {options.pairs}, {run.side}: "
            f"{reading.throughput_per_s:,.0f} requests/s"
        )

    progress.begin_phase("saturated, stages off and on in turn")
    measure_rounds(setup, [SATURATED], capacity_per_s=None, on_reading=keep)
    state.capacity_per_s = capacity_per_s(state.readings)
    if options.loads:
        progress.begin_phase("open loop, the same rates on both sides")
        measure_rounds(setup, options.loads, capacity_per_s=state.capacity_per_s, on_reading=keep)
    if options.replay:
        progress.begin_phase("replaying logged requests under callgrind")
        state.replays = replay_sides(setup)
        progress.advance(_REPLAY_S)
    else:
        state.replays = Replays(None, None, "", "switched off by --no-replay")
    state.slots = _slots(setup, progress)
    state.counters = count_intervals(
        setup, lambda side: progress.begin_phase(f"counting events of the {side} server")
    )
    if options.profile_s:
        state.profiles = profile_sides(setup, _begin_profile(options, progress))
    else:
        state.profiles = SideProfiles({}, "switched off by --profile 0")


def _slots(setup: StagesSetup, progress: Progress) -> SlotTrees:
    """Return counted slots; without counters, modelled ones, unless replays are switched off."""
    counted = count_sides(
        setup, Roots(), lambda side: progress.begin_phase(f"counting the {side} server")
    )
    if counted.sides or not setup.options.replay:
        return counted
    modelled = model_sides(
        setup, lambda side: progress.begin_phase(f"modelling the slots of the {side} server")
    )
    progress.advance(_MODEL_S)
    if modelled.sides:
        return modelled
    return SlotTrees({}, f"{counted.unavailable}; modelled: {modelled.unavailable}")


def _begin_profile(options: StagesOptions, progress: Progress) -> Callable[[Side], None]:
    def begin(side: Side) -> None:
        progress.begin_phase(f"profiling the {side} server by its pid")
        progress.advance(options.profile_s + _ATTACH_S)

    return begin
