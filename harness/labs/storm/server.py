"""`stallscope lab storm --server`: the reference server's queries beside its own compaction.

One directory of values serves all runs; each has a server of its own, with another limit of its
I/O queue. Compaction is asked for again as soon as it is done. It comes and goes: a segment is read
and written, then made durable. So requests come at times of their own, at the same rate in all
runs: a closed loop would ask most where the disk has nothing else to do, and see little of the
rest. The rate is half of what the connections carry when each request takes as long as the slowest
hundredth of a closed loop beside compaction without a limit, measured first: so no setting is
measured by requests that merely pile up.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from harness.cli.terminal import LiveLine, note
from harness.labs.storm.plan import StormOptions, runs, setting_text
from harness.labs.storm.rounds import StormResults
from harness.labs.storm.server_counts import QueueUse, queue_use, read_queue
from harness.labs.storm.trial import Recommended
from harness.page.figures import value_text
from harness.workload.cores import Cores, two_cores, usable_cpus
from harness.workload.loader import fill_keys, running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.results import LoadResult, Percentiles
from harness.workload.server import RunningServer, running_server
from harness.workload.server_queries import repeated_compaction
from ioprobe.storm import ReaderLatency, Run, StormRound
from ioprobe.target.simulated import PREFIX
from stallscope.errors import StallscopeError, TargetError, UsageError
from stallscope.sizes import size_text
from stallscope.system_files import Roots

DEFAULT_LIMIT = 8  # the server's own
VALUE_BYTES = 4000  # a record of a block, about
CONNECTIONS = 16
RATE_SHARE = 0.5
LEAST_RATE = 20.0  # a second
CALIBRATION_S = 2.0
MOST_CPU_DELAY = 0.05  # as the loader has it for itself
_MOST_SEGMENT, _LEAST_SEGMENT = 64 * 2**20, 2**20  # the server's own size, and its least
_BEHIND = 0.9  # of the rate: less is told


@dataclass(slots=True)
class _Course:
    """The rounds being run in a directory of values."""

    options: StormOptions
    folder: Path
    cores: Cores
    live: LiveLine
    slowest_ns: float | None = None  # p99 of a closed loop beside compaction without a limit
    rate_per_s: float | None = None  # None: a closed loop
    behind: list[str] = field(default_factory=list)

    def fill(self) -> None:
        """Write the values that all runs find."""
        self.live.show(f"filling the server with {size_text(self.options.size_bytes)} of values")
        with running_server(self._server("none")) as server:
            fill_keys(self._load(server.target, 0.01))

    def calibrate(self) -> None:
        """Set the rate of all runs by a closed loop beside compaction without a limit."""
        self.live.show("measuring what the server answers beside its compaction")
        with running_server(self._server("none")) as server, repeated_compaction(server.target):
            result, _ = self._measured(server, CALIBRATION_S)
        if result.errors:
            raise TargetError(
                f"{result.errors} requests failed beside compaction", "look at the disk's health"
            )
        slowest_us = result.latency_us.p99
        if not slowest_us:
            raise TargetError(
                "no GET was answered beside compaction", "give it more of the machine"
            )
        self.slowest_ns = 1000 * slowest_us
        self.rate_per_s = max(LEAST_RATE, RATE_SHARE * CONNECTIONS * 1e6 / slowest_us)

    def run(self, run: Run) -> StormRound:
        """Return what one run came to."""
        limit = run.setting.limit
        time.sleep(self.options.rest_s)
        with running_server(self._server("none" if limit is None else str(limit))) as server:
            with ExitStack() as stack:
                if run.setting.writes:
                    stack.enter_context(repeated_compaction(server.target))
                before = read_queue(server)
                result, rate = self._measured(server, run.duration_s)
                use = queue_use(before, read_queue(server))
            server.check_alive()
        if self.rate_per_s is not None and rate < _BEHIND * self.rate_per_s:
            self.behind.append(f"{setting_text(run.setting)} in round {run.round + 1}")
        return StormRound(
            run=run,
            source="measured",
            real_time=False,
            seconds=run.duration_s,
            reads=result.requests,
            reader=_latency(result.latency_us),
            reader_delay=None,
            writer_bytes_per_s=use.written_bytes_per_s if run.setting.writes else None,
            pending=use.pending,
            in_flight=use.in_flight,
            iowait_share=None,
            cpu_delay_share=use.cpu_delay_share,
            errors={"replies": result.errors} if result.errors else {},
            failed=_doubts(run, result, use),
            interrupted=False,
        )

    def facts(self) -> dict[str, str]:
        """Return what was asked of the server."""
        size = size_text(self.options.size_bytes)
        rate, slowest = self.rate_per_s or 0.0, value_text(round(self.slowest_ns or 0), "ns")
        return {
            "server": f"--path disk, {size} of values of {VALUE_BYTES} bytes in segments of "
            f"{size_text(_segment_bytes(self.options))}",
            "requests": f"GETs of random keys, {rate:,.0f} a second in an open loop on "
            f"{CONNECTIONS} connections: half of what they carry at {slowest} each, p99 of a "
            "closed loop beside compaction without a limit",
        }

    def warnings(self) -> list[str]:
        """Return what is to be known of the rounds."""
        found = []
        if self.behind:
            found.append(
                f"GETs fell behind their rate {len(self.behind)} times, first with "
                f"{self.behind[0]}: their latency grows with the time that is measured"
            )
        return found

    def _measured(self, server: RunningServer, duration_s: float) -> tuple[LoadResult, float]:
        with running_load(self._load(server.target, duration_s)) as load:
            return load.finished_rate()

    def _server(self, limit: str) -> ServerOptions:
        reader, writer = self.options.shares
        return ServerOptions(
            path="disk",
            cpus=str(self.cores.server),
            data=self.folder / "values",
            disk_limit=limit,
            disk_shares=f"queries={reader},compaction={writer}",
            segment_bytes=str(_segment_bytes(self.options)),
        )

    def _load(self, target: str, duration_s: float) -> LoadOptions:
        return LoadOptions(
            target=target,
            output=Path(tempfile.mkdtemp(dir=self.folder)),
            duration_s=duration_s,
            warmup_s=self.options.warmup_s,
            connections=CONNECTIONS,
            keys=max(1, self.options.size_bytes // 4096),
            value_bytes=str(VALUE_BYTES),
            rate_per_s=self.rate_per_s,
            read_share=1.0,
            cpus=str(self.cores.loader),
        )


def measured_server(options: StormOptions) -> StormResults:
    """Return what was found; Ctrl-C keeps the finished runs.

    Raises KeyboardInterrupt, or what ended it, where nothing was finished.
    """
    if options.path.startswith(PREFIX) or options.destroy or not Path(options.path).is_dir():
        raise UsageError(
            f"{options.path}: the server keeps its values in files", "name a directory"
        )
    began = time.monotonic()
    limit = options.recommended or DEFAULT_LIMIT
    how = "the server's own" if options.recommended is None else "as it was named"
    asked = runs(options, limit)
    note(
        f"writes {size_text(options.size_bytes)} of values into a directory of its own in "
        f"{options.path}, which is gone at the end, and again and again for "
        f"{len(asked) * options.run_s:.0f} s"
    )
    done: list[StormRound] = []
    complete, failure = True, None
    course = _Course(options, Path(), two_cores(Roots(), usable_cpus(None)), LiveLine())
    try:
        _run_all(course, asked, done)
    except KeyboardInterrupt:
        if not done:
            raise
        complete = False
    except StallscopeError as error:
        if not done:
            raise
        complete, failure = False, error
    return StormResults(
        options=options,
        modelled=False,
        recommended=Recommended(limit, how),
        rounds=tuple(done),
        facts=course.facts(),
        warnings=(
            *course.warnings(),
            *_unbound(done, limit),
            *(() if failure is None else (f"ended by a failure: {failure.message}",)),
        ),
        complete=complete,
        failure=failure,
        seconds=time.monotonic() - began,
    )


def _run_all(course: _Course, asked: Sequence[Run], done: list[StormRound]) -> None:
    """Run all of what was asked; ``done`` has each as soon as it is finished."""
    options, live = course.options, course.live
    try:
        with tempfile.TemporaryDirectory(prefix="stallscope-storm-", dir=options.path) as name:
            course.folder = Path(name)
            (course.folder / "values").mkdir(mode=0o700)
            course.fill()
            course.calibrate()
            for at, run in enumerate(asked):
                left_s = (len(asked) - at) * options.run_s
                live.show(
                    f"round {run.round + 1} of {options.rounds}, {setting_text(run.setting)}; "
                    f"at least {left_s:.0f} s left (Ctrl-C keeps what is finished)"
                )
                done.append(course.run(run))
    finally:
        live.clear()


def _segment_bytes(options: StormOptions) -> int:
    """Return an eighth of all values, in MiB, at most what the server has by itself."""
    part = options.size_bytes // 8 // _LEAST_SEGMENT * _LEAST_SEGMENT
    return min(_MOST_SEGMENT, max(_LEAST_SEGMENT, part))


def _unbound(done: Sequence[StormRound], limit: int) -> Iterator[str]:
    """Yield a caution where a limit had nothing to hold back."""
    without = [
        one.in_flight
        for one in done
        if one.run.setting.writes and one.run.setting.limit is None and one.in_flight is not None
    ]
    if without and (mean := statistics.fmean(without)) <= limit:
        yield (
            f"without a limit {mean:.1f} requests were on the disk on average: a limit of {limit} "
            "had little to hold back"
        )


def _latency(found: Percentiles) -> ReaderLatency | None:
    values = [found.p50, found.p90, found.p99, found.p999, found.largest]
    known = [1000 * value for value in values if value is not None]
    return ReaderLatency(*known) if len(known) == len(values) else None


def _doubts(run: Run, result: LoadResult, use: QueueUse) -> tuple[str, ...]:
    """Return why a run is not to be trusted."""
    found = []
    if not result.requests:
        found.append("no GET was answered")
    if run.setting.writes and use.written_bytes <= 0:
        found.append("the server wrote nothing by compaction")
    if result.limited_by_loader:
        found.append(f"the loader was the limit: {result.why}")
    if use.cpu_delay_share is not None and use.cpu_delay_share >= MOST_CPU_DELAY:
        found.append(f"the server waited for a CPU {use.cpu_delay_share:.1%} of the time")
    return tuple(found)
