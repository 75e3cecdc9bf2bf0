"""The runs of the scale lab: interleaved rounds over all points."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.cli.terminal import LiveLine
from harness.labs.scale.options import LoadPoint, ScaleOptions
from harness.recordings.settings_text import settings_now, settings_since
from harness.workload.cores import Cores, two_cores, usable_cpus
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import KV_KEYS, LoadOptions, ServerOptions
from harness.workload.request_files import generate_path_requests
from harness.workload.server import running_server
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class ScaleRun:
    """One run; ``loader_limit`` is the reason if the loader was the bottleneck, else empty."""

    point: LoadPoint
    throughput: float  # replies per second
    loader_limit: str


@dataclass(frozen=True, slots=True)
class ScaleMeasurement:
    """All runs of the lab."""

    options: ScaleOptions
    cores: Cores
    runs: tuple[ScaleRun, ...]
    shared: frozenset[LoadPoint]  # points whose server threads share a CPU with the loader
    interrupted: bool
    settings: Fingerprint | None = None  # of the machine; None: not read


@dataclass(frozen=True, slots=True)
class _Setup:
    """What all runs share: CPUs, a temporary folder, requests."""

    cores: Cores
    server_cpus: tuple[int, ...]
    folder: Path
    requests: Path | None


def run_order(options: ScaleOptions) -> Iterator[tuple[int, LoadPoint]]:
    """Yield round and point of each run; every second round is reversed."""
    for number in range(options.rounds):
        points = options.points if number % 2 == 0 else options.points[::-1]
        for point in points:
            yield number, point


def measure_scale(options: ScaleOptions, cpus: str | None) -> ScaleMeasurement:
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
    interrupted = False
    live = LiveLine()
    total = len(options.points) * options.rounds
    with tempfile.TemporaryDirectory(prefix="stallscope-") as name:
        folder = Path(name)
        try:
            requests = generate_path_requests(options.path, folder / "requests.resp", seed=1)
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
        except KeyboardInterrupt:
            interrupted = True
            if not runs:
                raise
        finally:
            live.clear()
    return ScaleMeasurement(
        options, cores, tuple(runs), shared, interrupted, settings_since(before)
    )


def _measure_point(options: ScaleOptions, point: LoadPoint, setup: _Setup) -> ScaleRun:
    threads = options.threads_of(point)
    cpus = [setup.server_cpus[index % len(setup.server_cpus)] for index in range(threads)]
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
            cpus=str(setup.cores.loader),
        )
        if setup.requests is None:
            fill_keys(load_options)
        with running_load(load_options) as load:
            result, rate = load.finished_rate()
    limit = (result.why or "no reason reported") if result.limited_by_loader else ""
    return ScaleRun(point, rate, limit)
