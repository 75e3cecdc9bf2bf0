"""The storm of `--server`: the reference server's queries beside its own compaction.

All runs use one directory of values. Every run starts a server with its own limit of the I/O queue
and repeats compaction. Compaction alternates between reading and writing a segment and making it
durable, so requests follow a schedule with the same rate in all runs: a closed loop would send most
of them while the disk is idle. The rate is half of what the connections carry if every request
takes as long as p99 of a closed loop beside compaction without a limit, which is measured first.
At this rate no setting builds up a backlog.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from harness.cli.terminal import LiveLine, note
from harness.labs.storm.counters import StormCounters
from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.options import StormOptions
from harness.labs.storm.plan import cost_facts, runs, setting_text
from harness.labs.storm.queue_counts import (
    DiskQueueUse,
    queue_readings,
    queue_use,
    read_queue,
    storm_series,
)
from harness.labs.storm.trial import Recommendation
from harness.workload.cores import Cores, two_cores, usable_cpus
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.results import LoadResult, Percentiles
from harness.workload.server import RunningServer, running_server
from harness.workload.server_queries import repeated_compaction
from ioprobe.storm import ReaderLatency, StormRound, StormRun
from ioprobe.target.simulated import PREFIX
from stallscope.errors import StallscopeError, TargetError, UsageError
from stallscope.quantities import size_text, value_text
from stallscope.system_files import Roots

DEFAULT_LIMIT = 8  # the server's default
VALUE_BYTES = 4000  # a record fills about one block
CONNECTIONS = 16
RATE_SHARE = 0.5
MIN_RATE_PER_S = 20.0
CALIBRATION_S = 2.0
POINTS = 100  # of a run over time, if it is long enough
MIN_INTERVAL_S, MAX_INTERVAL_S = 0.1, 1.0
MAX_CPU_DELAY_SHARE = 0.05  # the loader uses the same bound for itself
_LARGEST_SEGMENT, _SMALLEST_SEGMENT = 64 * 2**20, 2**20  # the server's default and its minimum
_ON_SCHEDULE_SHARE = 0.9  # of the rate; a lower rate is reported


@dataclass(slots=True)
class _ServerStorm:
    """The runs on one directory of values."""

    options: StormOptions
    folder: Path
    cores: Cores
    live: LiveLine
    closed_loop_p99_ns: float | None = None  # beside compaction without a limit
    rate_per_s: float | None = None  # None: a closed loop
    late_runs: list[str] = field(default_factory=list)
    counters: StormCounters = field(default_factory=StormCounters)

    def fill(self) -> None:
        """Write the values that all runs read."""
        self.live.show(f"filling the server with {size_text(self.options.size_bytes)} of values")
        with running_server(self._server_options("none")) as server:
            fill_keys(self._load_options(server.target, 0.01))

    def calibrate(self) -> None:
        """Set the rate of all runs by a closed loop beside compaction without a limit."""
        self.live.show("measuring the server's latency beside its compaction")
        with (
            running_server(self._server_options("none")) as server,
            repeated_compaction(server.target),
        ):
            result, _ = self._load(server, CALIBRATION_S)
        if result.errors:
            noun = "request" if result.errors == 1 else "requests"
            raise TargetError(
                f"{result.errors} {noun} failed beside compaction", "check the disk's health"
            )
        p99_us = result.latency_us.p99
        if not p99_us:
            raise TargetError(
                "no GET completed beside compaction",
                "reduce the load on this machine and try again",
            )
        self.closed_loop_p99_ns = 1000 * p99_us
        self.rate_per_s = max(MIN_RATE_PER_S, RATE_SHARE * CONNECTIONS * 1e6 / p99_us)

    def measure(self, run: StormRun, show_second: Callable[[float], None]) -> StormRound:
        """Return the result of a run; ``show_second`` receives the passed seconds."""
        limit = run.setting.limit
        time.sleep(self.options.rest_s)
        options = self._server_options("none" if limit is None else str(limit))
        with running_server(options) as server:
            with ExitStack() as stack:
                if run.setting.writes:
                    stack.enter_context(repeated_compaction(server.target))
                before = read_queue(server)
                marks = stack.enter_context(self.counters.of_server(run, server.pid))
                load_options = self._load_options(server.target, run.duration_s)
                load = stack.enter_context(running_load(replace(load_options, phases=marks)))
                load.wait_started()
                begin_s = time.monotonic() + run.warmup_s
                readings = stack.enter_context(queue_readings(server, _interval_s(run.duration_s)))
                result, rate = load.finished_rate(lambda second: show_second(second.time_s))
                use = queue_use(before, read_queue(server))
            server.check_alive()
        if self.rate_per_s is not None and rate < _ON_SCHEDULE_SHARE * self.rate_per_s:
            self.late_runs.append(f"{setting_text(run.setting)} in round {run.round + 1}")
        return StormRound(
            run=run,
            source="measured",
            real_time=False,
            seconds=run.duration_s,
            reads=result.requests,
            reader=_reader_latency(result.latency_us),
            reader_delay=None,
            writer_bytes_per_s=use.written_bytes_per_s if run.setting.writes else None,
            pending=use.pending,
            in_flight=use.in_flight,
            iowait_share=use.iowait_share,
            cpu_delay_share=use.cpu_delay_share,
            errors={"replies": result.errors} if result.errors else {},
            failed=_failed_checks(run, result, use),
            interrupted=False,
            series=storm_series(
                begin_s, [reading for reading in readings if reading.time_s >= begin_s]
            ),
        )

    def facts(self) -> dict[str, str]:
        """Return the server's and the loader's settings as labels and texts."""
        size = size_text(self.options.size_bytes)
        rate, p99_ns = self.rate_per_s or 0.0, round(self.closed_loop_p99_ns or 0)
        return {
            "server": f"--path disk, {size} of values of {VALUE_BYTES} bytes in segments of "
            f"{size_text(_segment_bytes(self.options))}",
            "requests": f"{_requests_text(self.options)} of random keys, {rate:,.0f} per second in "
            f"an open loop on {CONNECTIONS} connections: half of what they carry at "
            f"{value_text(p99_ns, 'ns')} per request, p99 of a closed loop beside compaction "
            "without a limit",
        }

    def warnings(self) -> list[str]:
        """Return a warning if GETs did not keep their rate."""
        if not self.late_runs:
            return []
        text = (
            f"GETs fell behind their rate {len(self.late_runs)} times, first with "
            f"{self.late_runs[0]}: their latency grows with the length of the run"
        )
        return [text]

    def _load(self, server: RunningServer, duration_s: float) -> tuple[LoadResult, float]:
        with running_load(self._load_options(server.target, duration_s)) as load:
            return load.finished_rate()

    def _server_options(self, limit: str) -> ServerOptions:
        reader, writer = self.options.shares
        return ServerOptions(
            path="disk",
            cpus=str(self.cores.server),
            data=self.folder / "values",
            disk_limit=limit,
            disk_rates="" if self.options.rates is None else self.options.rates.argument(),
            disk_shares=f"queries={reader},compaction={writer}",
            segment_bytes=str(_segment_bytes(self.options)),
            sync="each-batch" if self.options.write_share else "",
        )

    def _load_options(self, target: str, duration_s: float) -> LoadOptions:
        return LoadOptions(
            target=target,
            output=Path(tempfile.mkdtemp(dir=self.folder)),
            duration_s=duration_s,
            warmup_s=self.options.warmup_s,
            connections=CONNECTIONS,
            keys=max(1, self.options.size_bytes // 4096),
            value_bytes=str(VALUE_BYTES),
            rate_per_s=self.rate_per_s,
            read_share=1.0 - self.options.write_share,
            cpus=str(self.cores.loader),
        )


def measure_server_storm(options: StormOptions) -> StormMeasurement:
    """Return the rounds of the reference server; Ctrl-C keeps the finished runs.

    Raises KeyboardInterrupt, or the error that ended it, if no run was finished.
    """
    if options.path.startswith(PREFIX) or options.destroy or not Path(options.path).is_dir():
        raise UsageError(
            f"{options.path}: the server keeps its values in files", "name a directory"
        )
    began_s = time.monotonic()
    limit = options.recommended or DEFAULT_LIMIT
    how = "the server's default" if options.recommended is None else "from --recommended"
    plan = runs(options, limit)
    note(
        f"writes {size_text(options.size_bytes)} of values into a temporary directory in "
        f"{options.path}, and rewrites them for {len(plan) * options.run_s:.0f} s"
    )
    finished: list[StormRound] = []
    complete, failure = True, None
    storm = _ServerStorm(options, Path(), two_cores(Roots(), usable_cpus(None)), LiveLine())
    try:
        _measure_all(storm, plan, finished)
    except KeyboardInterrupt:
        if not finished:
            raise
        complete = False
    except StallscopeError as error:
        if not finished:
            raise
        complete, failure = False, error
    return StormMeasurement(
        options=options,
        modelled=False,
        recommendation=Recommendation(limit, how),
        rounds=tuple(finished),
        facts=storm.facts() | cost_facts(options),
        warnings=(
            *storm.warnings(),
            *storm.counters.warnings(),
            *_limit_warnings(finished, limit),
            *(() if failure is None else (f"ended by a failure: {failure.message}",)),
        ),
        complete=complete,
        failure=failure,
        seconds=time.monotonic() - began_s,
        counters=storm.counters.by_setting,
    )


def _measure_all(storm: _ServerStorm, plan: Sequence[StormRun], finished: list[StormRound]) -> None:
    """Measure all runs of the plan; every result is appended to ``finished`` at once."""
    options, live = storm.options, storm.live
    try:
        with tempfile.TemporaryDirectory(prefix="stallscope-storm-", dir=options.path) as name:
            storm.folder = Path(name)
            (storm.folder / "values").mkdir(mode=0o700)
            storm.fill()
            storm.calibrate()
            for index, run in enumerate(plan):
                show_second = partial(_show_progress, storm, plan, index)
                show_second(0.0)
                finished.append(storm.measure(run, show_second))
    finally:
        live.clear()


def _show_progress(
    storm: _ServerStorm, plan: Sequence[StormRun], index: int, passed_s: float
) -> None:
    options, run = storm.options, plan[index]
    done_s = index * options.run_s + min(passed_s, options.run_s)
    whole_s = len(plan) * options.run_s
    storm.live.show(
        f"round {run.round + 1} of {options.rounds}, {setting_text(run.setting)}; at least "
        f"{whole_s - done_s:.0f} s left (Ctrl-C keeps finished runs)",
        done=done_s,
        whole=whole_s,
    )


def _interval_s(duration_s: float) -> float:
    """Return the time between two points of a run over time."""
    return min(MAX_INTERVAL_S, max(MIN_INTERVAL_S, duration_s / POINTS))


def _requests_text(options: StormOptions) -> str:
    """Return the kind of the clients' requests."""
    if not options.write_share:
        return "GETs"
    return f"GETs and {options.write_share:.0%} SETs, durable when acknowledged,"


def _segment_bytes(options: StormOptions) -> int:
    """Return an eighth of all values in whole MiB, at most the server's default segment."""
    eighth = options.size_bytes // 8 // _SMALLEST_SEGMENT * _SMALLEST_SEGMENT
    return min(_LARGEST_SEGMENT, max(_SMALLEST_SEGMENT, eighth))


def _limit_warnings(finished: Sequence[StormRound], limit: int) -> Iterator[str]:
    """Yield a warning if even without a limit there were fewer requests on the disk."""
    unlimited = [
        result.in_flight
        for result in finished
        if result.run.setting.writes
        and result.run.setting.limit is None
        and result.in_flight is not None
    ]
    if unlimited and (mean := statistics.fmean(unlimited)) <= limit:
        yield (
            f"without a limit {mean:.1f} requests were on the disk on average: a limit of {limit} "
            "holds back almost none"
        )


def _reader_latency(latency_us: Percentiles) -> ReaderLatency | None:
    values = [
        latency_us.p50, latency_us.p90, latency_us.p99, latency_us.p999, latency_us.largest,
    ]  # fmt: skip
    known_ns = [1000 * value for value in values if value is not None]
    return ReaderLatency(*known_ns) if len(known_ns) == len(values) else None


def _failed_checks(run: StormRun, result: LoadResult, use: DiskQueueUse) -> tuple[str, ...]:
    """Return the reasons not to trust a run."""
    reasons = []
    if not result.requests:
        reasons.append("no GET completed")
    if run.setting.writes and use.written_bytes <= 0:
        reasons.append("compaction wrote nothing")
    if result.limited_by_loader:
        reasons.append(f"the loader was the bottleneck: {result.why}")
    if use.cpu_delay_share is not None and use.cpu_delay_share >= MAX_CPU_DELAY_SHARE:
        reasons.append(f"the server waited for a CPU for {use.cpu_delay_share:.1%} of the time")
    return tuple(reasons)
