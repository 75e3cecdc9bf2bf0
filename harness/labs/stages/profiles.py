"""Profiles and hardware counters of both sides under saturation, by the server's pid."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from harness.cli.recording_options import Choice
from harness.labs.stages.measurement import SideProfiles, SideSlots, SlotCounts
from harness.labs.stages.plan import Side
from harness.labs.stages.rounds import StagesSetup
from harness.machine_checks.check import Status
from harness.profile.recorder import record
from harness.topdown.options import OutputForm, Source, TopdownOptions
from harness.topdown.sources import measure_slots, pmu_check
from harness.workload.loader import fill_keys, running_load
from harness.workload.server import RunningServer, running_server
from stallscope.collector import CollectorOptions
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from topdown.slots.measurement import Measurement, Slice

LOAD_EXTRA_S = 4.0  # of load beyond the observation, because attaching takes time


@contextmanager
def saturated_server(
    setup: StagesSetup, side: Side, *, duration_s: float, name: str
) -> Iterator[RunningServer]:
    """Yield a server of one side that the loader saturates during the block."""
    folder = setup.options.output / "runs" / f"{name}-{side}"
    folder.mkdir(parents=True, exist_ok=True)
    with running_server(setup.server_options(side)) as server:
        options = setup.load_options(server.target, folder, None)
        if options.request_file is None:
            fill_keys(options)
        with running_load(replace(options, duration_s=duration_s + LOAD_EXTRA_S)):
            yield server


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


def count_sides(setup: StagesSetup, roots: Roots, on_side: Callable[[Side], None]) -> SlotCounts:
    """Return IPC and the first level of slots of each side, or why they cannot be counted."""
    check = pmu_check(roots)
    if check.status is Status.UNAVAILABLE:
        return SlotCounts({}, check.detail)
    measurements = {}
    duration_s = setup.options.duration_s
    for side in Side:
        on_side(side)
        try:
            with saturated_server(setup, side, duration_s=duration_s, name="slots") as server:
                request = _request(server.pid, duration_s)
                measurements[side] = measure_slots(request, _ignore_slice).measurement
        except UnableError as error:
            return SlotCounts({}, error.message)
    return SlotCounts(
        {side: first_level(measurement) for side, measurement in measurements.items()}
    )


def first_level(measurement: Measurement) -> SideSlots:
    """Return IPC and the first level of a tree, as shares of slots."""
    values = {
        node.name: None if node.value is None or node.impossible else node.value / measurement.whole
        for node in measurement.nodes
        if node.level == 1
    }
    ipc = None if measurement.ipc is None else measurement.ipc.value
    return SideSlots({"IPC": ipc, **values}, measurement.warnings)


def _request(pid: int, duration_s: float) -> TopdownOptions:
    target = Choice((pid,), (), system_wide=False, cpus="", cgroup="", duration_s=duration_s)
    return TopdownOptions(Source.PMU, None, target, OutputForm.JSON, level=1)


def _ignore_slice(piece: Slice, measurement: Measurement) -> None:
    del piece, measurement
