"""Profiles of both sides under saturation, by the server's pid, and what counters say of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.cli.recording_options import Choice
from harness.labs.stages.plan import Side
from harness.labs.stages.results import Slots, SlotsFound
from harness.labs.stages.rounds import Bench
from harness.machine_checks.check import Status
from harness.profile.recorder import record
from harness.topdown.engine import pmu_check, take
from harness.topdown.request import Form, Request, Source
from harness.workload.loader import fill_keys, running_load
from harness.workload.server import RunningServer, running_server
from stallscope.collector import CollectorOptions
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from topdown.slots.measurement import Measurement, Slice

LOAD_EXTRA_S = 4.0  # of load beyond the observation: attaching takes some time


@dataclass(frozen=True, slots=True)
class Profiles:
    """Each side's recording, or why there is none."""

    recordings: dict[Side, Path]
    why_not: str = ""


@contextmanager
def saturated(bench: Bench, side: Side, *, for_s: float, name: str) -> Iterator[RunningServer]:
    """Yield a server of one side that the loader keeps saturated for the block."""
    folder = bench.options.output / "runs" / f"{name}-{side}"
    folder.mkdir(parents=True, exist_ok=True)
    with running_server(bench.server(side)) as server:
        options = bench.load(server.target, folder, None)
        if options.request_file is None:
            fill_keys(options)
        with running_load(replace(options, duration_s=for_s + LOAD_EXTRA_S)):
            yield server


def profile_sides(bench: Bench, on_side: Callable[[Side], None]) -> Profiles:
    """Return a recording of each side's server; none where this machine refuses perf events."""
    recordings = {}
    duration_s = bench.options.profile_s
    for side in Side:
        on_side(side)
        output = bench.options.output / str(side)
        try:
            with saturated(bench, side, for_s=duration_s, name="profile") as server:
                record(_collector_options(server.pid, output, duration_s))
        except UnableError as error:
            return Profiles({}, error.message)
        recordings[side] = output
    return Profiles(recordings)


def _collector_options(pid: int, output: Path, duration_s: float) -> CollectorOptions:
    """Return the options: stacks copied, for the C library below main keeps no frame pointers."""
    return CollectorOptions(output=output, pids=(pid,), duration_s=duration_s, stacks="dwarf")


def count_sides(bench: Bench, roots: Roots, on_side: Callable[[Side], None]) -> SlotsFound:
    """Return IPC and the slots' first level of each side, or why this machine cannot count."""
    check = pmu_check(roots)
    if check.status is Status.UNAVAILABLE:
        return SlotsFound({}, check.detail)
    found = {}
    duration_s = bench.options.duration_s
    for side in Side:
        on_side(side)
        try:
            with saturated(bench, side, for_s=duration_s, name="slots") as server:
                found[side] = take(_request(server.pid, duration_s), _no_slice).measurement
        except UnableError as error:
            return SlotsFound({}, error.message)
    return SlotsFound({side: first_level(measured) for side, measured in found.items()})


def first_level(measured: Measurement) -> Slots:
    """Return IPC and the first level of a tree, as shares of slots."""
    values = {
        node.name: None if node.value is None or node.impossible else node.value / measured.whole
        for node in measured.nodes
        if node.level == 1
    }
    ipc = None if measured.ipc is None else measured.ipc.value
    return Slots({"IPC": ipc, **values}, measured.warnings)


def _request(pid: int, duration_s: float) -> Request:
    target = Choice((pid,), (), system_wide=False, cpus="", cgroup="", duration_s=duration_s)
    return Request(Source.PMU, None, target, Form.JSON, level=1)


def _no_slice(piece: Slice, measurement: Measurement) -> None:
    del piece, measurement
