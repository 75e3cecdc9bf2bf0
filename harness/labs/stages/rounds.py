"""Running the rounds: a fresh server for each run, the loader on another core, both asked after."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.labs.stages.plan import Load, Side, StagesOptions, Turn, turns
from harness.labs.stages.results import Reading
from harness.workload.cores import Cores
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import RunningServer, process_cpu_s, running_server
from harness.workload.server_queries import average_batch, commands_processed, stage_counts

KEYS = 10_000  # of the kv path: GET finds each of them


@dataclass(frozen=True, slots=True)
class Bench:
    """What every run shares: options, cores, the requests to send (None: GET of random keys)."""

    options: StagesOptions
    cores: Cores
    requests: Path | None

    def server(self, side: Side) -> ServerOptions:
        """Return the server's options on one side: nothing but the stages differs."""
        return ServerOptions(
            path=self.options.path,
            stages=side is Side.STAGED,
            cpus=str(self.cores.server),
            max_batch=self.options.max_batch,
            footprint_kb=self.options.footprint_kb,
            stage_kb=self.options.stage_kb,
        )

    def load(self, target: str, output: Path, rate_per_s: float | None) -> LoadOptions:
        """Return the loader's options against a server."""
        return LoadOptions(
            target=target,
            output=output,
            duration_s=self.options.duration_s,
            warmup_s=self.options.warmup_s,
            connections=self.options.connections,
            pipeline=self.options.pipeline,
            rate_per_s=rate_per_s,
            read_share=1.0,
            request_file=self.requests,
            keys=KEYS,
            seed=self.options.seed,
            cpus=str(self.cores.loader),
        )


def run_rounds(
    bench: Bench,
    loads: Sequence[Load],
    *,
    capacity_per_s: float | None,
    on_reading: Callable[[Reading], None],
) -> None:
    """Run all pairs under the loads; each reading is passed on as soon as it is known.

    Raises what server and loader raise. What was passed on stays good.
    """
    for turn in turns(bench.options.pairs, loads):
        on_reading(run_turn(bench, turn, capacity_per_s))


def run_turn(bench: Bench, turn: Turn, capacity_per_s: float | None) -> Reading:
    """Return one run's reading."""
    folder = bench.options.output / "runs" / f"{turn.pair}-{turn.load.name}-{turn.side}"
    folder.mkdir(parents=True, exist_ok=True)
    rate = None
    if turn.load.share is not None:
        assert capacity_per_s is not None
        rate = turn.load.share * capacity_per_s
    with running_server(bench.server(turn.side)) as server:
        return _measure(server, bench.load(server.target, folder, rate), turn)


def _measure(server: RunningServer, options: LoadOptions, turn: Turn) -> Reading:
    if options.request_file is None:
        fill_keys(options)
    batches = stage_counts(server.target)
    commands, cpu_s = commands_processed(server.target), process_cpu_s(server.pid)
    with running_load(options) as load:
        result, rate = load.finished_rate()
    server.check_alive()
    taken_s = process_cpu_s(server.pid) - cpu_s
    # The one INFO that asks is counted too.
    done = commands_processed(server.target) - commands - 1
    staged = turn.side is Side.STAGED
    return Reading(
        turn=turn,
        rate_asked=result.rate_asked,
        throughput=rate,
        p50_us=result.latency_us.p50,
        p90_us=result.latency_us.p90,
        p99_us=result.latency_us.p99,
        p999_us=result.latency_us.p999,
        cpu_us=taken_s * 1e6 / done if done > 0 else None,
        average_batch=average_batch(batches, stage_counts(server.target)) if staged else None,
        errors=result.errors,
        limited_by=(result.why or "it says no more") if result.limited_by_loader else "",
        folder=options.output,
    )
