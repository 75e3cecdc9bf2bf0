"""The rounds: every run starts a server and a loader on different CPUs and reads both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.labs.stages.measurement import IntervalP99, StagesReading
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import LoadLevel, Side, StagesRun, run_order
from harness.workload.cores import Cores
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import KV_KEYS, LoadOptions, ServerOptions
from harness.workload.server import RunningServer, process_cpu_s, running_server
from harness.workload.server_queries import average_batch, commands_processed, stage_counts
from stallscope.histograms import read_interval_log

INTENDED_LOG = "intended.hlog"
# With several threads, the requests of path kv also pass the stages of writes.
READ_SHARE_OF_THREADS = 0.9


@dataclass(frozen=True, slots=True)
class StagesSetup:
    """What all runs share: options, CPUs, the request file (None: GET of random keys)."""

    options: StagesOptions
    cores: Cores
    requests: Path | None

    def server_options(self, side: Side) -> ServerOptions:
        """Return the server's options; both sides differ only in the stages."""
        return ServerOptions(
            path=self.options.path,
            stages=side is Side.STAGED,
            threads=self.options.threads,
            cpus=",".join(map(str, self.cores.server_cpus)),
            max_batch=self.options.max_batch,
            footprint_kb=self.options.footprint_kb,
            stage_kb=self.options.stage_kb,
        )

    def load_options(self, target: str, output: Path, rate_per_s: float | None) -> LoadOptions:
        """Return the loader's options; without a rate it saturates the server."""
        return LoadOptions(
            target=target,
            output=output,
            duration_s=self.options.duration_s,
            warmup_s=self.options.warmup_s,
            connections=self.options.connections,
            pipeline=self.options.pipeline,
            rate_per_s=rate_per_s,
            threads=self.options.threads,
            read_share=1.0 if self.options.threads == 1 else READ_SHARE_OF_THREADS,
            request_file=self.requests,
            keys=KV_KEYS,
            seed=self.options.seed,
            cpus=",".join(map(str, self.cores.loader_cpus)),
        )


def interval_p99(log: Path, started_at_s: float = 0.0) -> tuple[IntervalP99, ...]:
    """Return p99 of every interval of a log that has values; the log counts from its start."""
    return tuple(
        IntervalP99(started_at_s + interval.start_s, interval.length_s, p99_ns / 1000)
        for interval in read_interval_log(log).intervals
        if (p99_ns := interval.histogram.percentile(99)) is not None
    )


def measure_rounds(
    setup: StagesSetup,
    loads: Sequence[LoadLevel],
    *,
    capacity_per_s: float | None,
    on_reading: Callable[[StagesReading], None],
) -> None:
    """Measure all pairs under the loads; ``on_reading`` receives every reading at once.

    Raises the errors of server and loader.
    """
    for run in run_order(setup.options.pairs, loads):
        on_reading(measure_run(setup, run, capacity_per_s))


def measure_run(setup: StagesSetup, run: StagesRun, capacity_per_s: float | None) -> StagesReading:
    """Return the reading of one run."""
    folder = setup.options.output / "runs" / f"{run.pair}-{run.load.name}-{run.side}"
    folder.mkdir(parents=True, exist_ok=True)
    rate_per_s = run.load.rate_per_s
    if run.load.share is not None:
        assert capacity_per_s is not None
        rate_per_s = run.load.share * capacity_per_s
    with running_server(setup.server_options(run.side)) as server:
        return _measure(server, setup.load_options(server.target, folder, rate_per_s), run)


def _measure(server: RunningServer, options: LoadOptions, run: StagesRun) -> StagesReading:
    if options.request_file is None:
        fill_keys(options)
    counts_before = stage_counts(server.target)
    commands_before, cpu_s_before = commands_processed(server.target), process_cpu_s(server.pid)
    with running_load(options) as load:
        result, rate = load.finished_rate()
    server.check_alive()
    cpu_s = process_cpu_s(server.pid) - cpu_s_before
    # The INFO command of this query counts too.
    commands = commands_processed(server.target) - commands_before - 1
    batch, stages = None, {}
    if run.side is Side.STAGED:
        counts = stage_counts(server.target)
        batch = average_batch(counts_before, counts)
        stages = {name: counts[name].since(counts_before[name]) for name in counts_before}
    return StagesReading(
        run=run,
        requested_rate_per_s=result.requested_rate_per_s,
        throughput_per_s=rate,
        mean_us=result.latency_us.mean,
        p50_us=result.latency_us.p50,
        p90_us=result.latency_us.p90,
        p95_us=result.latency_us.p95,
        p99_us=result.latency_us.p99,
        p999_us=result.latency_us.p999,
        cpu_us=cpu_s * 1e6 / commands if commands > 0 else None,
        average_batch=batch,
        stages=stages,
        errors=result.errors,
        started_at_s=result.started_at_s or 0.0,
        p99_over_time=interval_p99(options.output / INTENDED_LOG, result.started_at_s or 0.0),
        loader_limit=(result.why or "no reason reported") if result.limited_by_loader else "",
        folder=options.output,
    )
