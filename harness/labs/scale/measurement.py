"""The runs of the scale lab: interleaved rounds over all points."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.cli.terminal import LiveLine
from harness.labs.scale.counters import CountedRun
from harness.labs.scale.options import LabScaleOptions, LoadPoint, ScaleWorkload
from harness.recordings.settings_text import settings_now, settings_since
from harness.topdown.memory_events import MEMORY_PRESET, memory_events
from harness.topdown.phase_counts import counted_phases, phase_events
from harness.workload.cores import Cores, two_cores, usable_cpus
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import KV_KEYS, LoadOptions, ServerOptions
from harness.workload.request_files import SCAN_VALUE_BYTES, generate_path_requests, scan_requests
from harness.workload.server import RunningServer, running_server
from stallscope.system_files import Roots
from topdown.slots.detection import model_of_identity, read_identity


@dataclass(frozen=True, slots=True)
class ScaleRun:
    """One run; ``loader_limit`` is the reason if the loader was the bottleneck, else empty."""

    point: LoadPoint
    throughput: float  # replies per second
    loader_limit: str


@dataclass(frozen=True, slots=True)
class ScaleMeasurement:
    """All runs of the lab."""

    options: LabScaleOptions
    cores: Cores
    runs: tuple[ScaleRun, ...]
    shared: frozenset[LoadPoint]  # points whose server threads share a CPU with the loader
    interrupted: bool
    settings: Fingerprint | None = None  # of the machine; None: not read
    counted: tuple[CountedRun, ...] = ()


@dataclass(frozen=True, slots=True)
class _Setup:
    """What all runs share: CPUs, a temporary folder, requests."""

    cores: Cores
    server_cpus: tuple[int, ...]
    folder: Path
    requests: Path | None


def run_order(options: LabScaleOptions) -> Iterator[tuple[int, LoadPoint]]:
    """Yield round and point of each run; every second round is reversed."""
    for number in range(options.rounds):
        points = options.points if number % 2 == 0 else options.points[::-1]
        for point in points:
            yield number, point


def measure_scale(options: LabScaleOptions, cpus: str | None) -> ScaleMeasurement:
    """Return the runs; Ctrl-C ends the lab and keeps them.

    Raises UnableError if server and loader cannot have one CPU each.
    """
    allowed = usable_cpus(cpus)
    cores = two_cores(Roots(), allowed)
    server_cpus = (cores.server, *sorted(allowed - {cores.server, cores.loader}), cores.loader)
    shared = frozenset(
        point for point in options.points if options.threads_of(point) >= len(server_cpus)
    )
    before = settings_now()
    runs: list[ScaleRun] = []
    counted: list[CountedRun] = []
    interrupted = False
    live = LiveLine()
    total = options.total_runs
    with tempfile.TemporaryDirectory(prefix="stallscope-") as name:
        folder = Path(name)
        try:
            requests = _requests(options, folder / "requests.resp")
            setup = _Setup(cores, server_cpus, folder, requests)
            for number, point in run_order(options):
                left_s = (total - len(runs)) * options.run_s
                live.show(
                    f"round {number + 1} of {options.rounds}: {point.n} {point.axis}; "
                    f"about {left_s:.0f} s left",
                    done=len(runs),
                    whole=total,
                )
                runs.append(_measure_point(options, point, setup))
            _count_points(options, setup, counted, live)
        except KeyboardInterrupt:
            interrupted = True
            if not runs:
                raise
        finally:
            live.clear()
    return ScaleMeasurement(
        options, cores, tuple(runs), shared, interrupted, settings_since(before), tuple(counted)
    )


def _requests(options: LabScaleOptions, output: Path) -> Path | None:
    if options.workload is ScaleWorkload.SCAN:
        return scan_requests(output, keys=KV_KEYS)
    return generate_path_requests(options.path, output, seed=1)


def _count_points(
    options: LabScaleOptions, setup: _Setup, counted: list[CountedRun], live: LiveLine
) -> None:
    """Append one counted run of every point; counting does not slow the runs of the rounds."""
    if options.events is None:
        return
    labels = {name: label for label, name in _named_events(options).items()}
    events = phase_events(tuple(labels))
    done = len(options.points) * options.rounds
    for number, point in enumerate(options.points):
        live.show(f"counting: {point.n} {point.axis}", done=done + number, whole=options.total_runs)
        with (
            _loaded_server(options, point, setup) as (server, load_options),
            counted_phases(events, (server.pid,)) as counting,
        ):
            with running_load(replace(load_options, phases=counting.marks)) as load:
                result, _ = load.finished_rate()
            phases = counting.finish()
        if phases:
            counted.append(CountedRun(point, result.requests, phases[0], labels))


def _named_events(options: LabScaleOptions) -> dict[str, str]:
    """Return the events to count by label; the preset stands for those of the memory hierarchy."""
    assert options.events is not None
    if options.events != (MEMORY_PRESET,):
        return {name: name for name in options.events}
    identity = read_identity(Roots())
    model = None if identity is None else model_of_identity(identity)
    return memory_events(None if model is None else model.key)


@contextmanager
def _loaded_server(
    options: LabScaleOptions, point: LoadPoint, setup: _Setup
) -> Iterator[tuple[RunningServer, LoadOptions]]:
    """Yield a server with its keys, and the options of its load."""
    threads = options.threads_of(point)
    cpus = [setup.server_cpus[index % len(setup.server_cpus)] for index in range(threads)]
    scans = options.workload is ScaleWorkload.SCAN
    server_options = ServerOptions(
        path=options.path,
        stages=options.stages,
        threads=threads,
        cpus=",".join(map(str, cpus)),
    )
    with running_server(server_options) as server:
        load_options = LoadOptions(
            target=server.target,
            output=Path(tempfile.mkdtemp(dir=setup.folder)),
            duration_s=options.duration_s,
            warmup_s=options.warmup_s,
            connections=options.connections_of(point),
            pipeline=options.pipeline,
            read_share=1.0,
            request_file=setup.requests,
            keys=KV_KEYS,
            value_bytes=str(SCAN_VALUE_BYTES) if scans else "64",
            cpus=str(setup.cores.loader),
        )
        if setup.requests is None or scans:
            fill_keys(load_options)
        yield server, load_options


def _measure_point(options: LabScaleOptions, point: LoadPoint, setup: _Setup) -> ScaleRun:
    with (
        _loaded_server(options, point, setup) as (_, load_options),
        running_load(load_options) as load,
    ):
        result, rate = load.finished_rate()
    limit = (result.why or "no reason reported") if result.limited_by_loader else ""
    return ScaleRun(point, rate, limit)
