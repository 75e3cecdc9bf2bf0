"""Profiles and hardware counters of both sides under saturation, by the server's pid."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from harness.cli.recording_options import TargetChoice
from harness.labs.stages.instruction_cache import (
    CacheEvents,
    cache_events,
    counted_miss_ratio,
)
from harness.labs.stages.measurement import SideProfiles, SlotTrees
from harness.labs.stages.plan import Side
from harness.labs.stages.rounds import StagesSetup
from harness.machine_checks.check import Status
from harness.profile.recorder import record
from harness.topdown.counting import CountingBackend
from harness.topdown.options import OutputForm, SlotSource, TopdownOptions
from harness.topdown.phase_collect import collect_in_load
from harness.topdown.phase_counts import PhaseCounts, counted_phases, phase_events
from harness.topdown.sources import measure_slots, pmu_check
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import LoadOptions
from harness.workload.server import RunningServer, running_server
from stallscope.collector import CollectorOptions
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots
from topdown.slots.detection import model_of_identity, read_identity
from topdown.slots.measurement import Measurement, Slice

LOAD_EXTRA_S = 4.0  # of load beyond the observation, because attaching takes time


@contextmanager
def saturated_server(
    setup: StagesSetup, side: Side, *, duration_s: float, name: str
) -> Iterator[RunningServer]:
    """Yield a server of one side that the loader saturates during the block."""
    with (
        _server_and_load(setup, side, name) as (server, options),
        running_load(replace(options, duration_s=duration_s + LOAD_EXTRA_S)),
    ):
        yield server


@contextmanager
def counted_server(
    setup: StagesSetup, side: Side, name: str
) -> Iterator[tuple[RunningServer, Callable[[int], None]]]:
    """Yield a server of one side, and a function that saturates it once.

    The function gets the descriptor on which the loader marks its measured time.
    """
    with _server_and_load(setup, side, name) as (server, options):

        def run_marked_load(marks: int) -> None:
            with running_load(replace(options, phases=marks)) as load:
                load.finish()

        yield server, run_marked_load


@contextmanager
def _server_and_load(
    setup: StagesSetup, side: Side, name: str
) -> Iterator[tuple[RunningServer, LoadOptions]]:
    """Yield a server of one side with its keys, and the options of a saturating load."""
    folder = setup.options.output / "runs" / f"{name}-{side}"
    folder.mkdir(parents=True, exist_ok=True)
    with running_server(setup.server_options(side)) as server:
        options = setup.load_options(server.target, folder, None)
        if options.request_file is None:
            fill_keys(options)
        yield server, options


def count_intervals(setup: StagesSetup, on_side: Callable[[Side], None]) -> dict[Side, PhaseCounts]:
    """Return the counters of each side in the measured time of a saturating load."""
    events = phase_events()
    counts = {}
    for side in Side:
        on_side(side)
        with (
            counted_server(setup, side, "counters") as (server, run_marked_load),
            counted_phases(events, (server.pid,)) as counting,
        ):
            run_marked_load(counting.marks)
            phases = counting.finish()
        if phases:
            counts[side] = phases[0]
    return counts


def profile_sides(setup: StagesSetup, on_side: Callable[[Side], None]) -> SideProfiles:
    """Return a recording of each side's server, or the reason why perf events are refused."""
    recordings = {}
    duration_s = setup.options.profile_s
    for side in Side:
        on_side(side)
        output = setup.options.output / str(side)
        try:
            with saturated_server(setup, side, duration_s=duration_s, name="profile") as server:
                record(_collector_options(server.pid, output, duration_s))
        except UnableError as error:
            return SideProfiles({}, error.message)
        recordings[side] = output
    return SideProfiles(recordings)


def _collector_options(pid: int, output: Path, duration_s: float) -> CollectorOptions:
    """Return the options; stacks are copied, because the C library keeps no frame pointers."""
    return CollectorOptions(output=output, pids=(pid,), duration_s=duration_s, stacks="dwarf")


def count_sides(setup: StagesSetup, roots: Roots, on_side: Callable[[Side], None]) -> SlotTrees:
    """Return the counted tree of slots of each side, or why it cannot be counted.

    Each run of the collector counts exactly the measured time of a load.
    ``--drill`` counts the levels below a marked node, down to the last level of the CPU's model.
    """
    check = pmu_check(roots)
    if check.status is Status.UNAVAILABLE:
        return SlotTrees({}, check.detail)
    identity = read_identity(roots)
    model = None if identity is None else model_of_identity(identity)
    events = None if model is None else cache_events(model.key)
    measurements = {}
    duration_s = setup.options.duration_s
    for side in Side:
        on_side(side)
        try:
            with counted_server(setup, side, "slots") as (server, run_marked_load):
                request = _request(server.pid, duration_s, events)
                backend = CountingBackend(roots, collect_in_load(server.pid, run_marked_load))
                measurements[side] = measure_slots(request, _ignore_slice, backend).measurement
        except (UnableError, UsageError) as error:  # such as an event that this CPU lacks
            return SlotTrees({}, error.message)
    ratios = {
        side: counted_miss_ratio(measurement, events) for side, measurement in measurements.items()
    }
    return SlotTrees(measurements, icache_miss_ratio=ratios)


def _request(pid: int, duration_s: float, events: CacheEvents | None) -> TopdownOptions:
    target = TargetChoice((pid,), (), system_wide=False, cpus="", cgroup="", duration_s=duration_s)
    names = events.names if events is not None else ()
    return TopdownOptions(SlotSource.PMU, None, target, OutputForm.JSON, drill=True, events=names)


def _ignore_slice(piece: Slice, measurement: Measurement) -> None:
    del piece, measurement
