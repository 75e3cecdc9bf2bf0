"""`stallscope lab storm --server`: the reference server's queries beside its own compaction.

One directory of values serves all runs; each has a server of its own, with another limit of its
I/O queue. Compaction is asked for again as soon as it is done.
"""

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.labs.memory_options import usable_cpus
from harness.labs.stages_machine import two_cores
from harness.labs.stages_results import Cores
from harness.labs.storm_plan import StormOptions, runs, setting_text
from harness.labs.storm_results import StormResults
from harness.labs.storm_trial import Recommended
from harness.load.asking import compacting, info
from harness.load.loader import fill_keys, loading
from harness.load.options import LoadOptions, ServerOptions
from harness.load.results import LoadResult, Percentiles
from harness.load.server import running_server
from harness.terminal import LiveLine, note
from ioprobe.simulated import PREFIX
from ioprobe.storm import ReaderLatency, Run, StormRound
from stallscope.errors import StallscopeError, TargetError, UsageError
from stallscope.sizes import size_text
from stallscope.system_files import Roots

DEFAULT_LIMIT = 8  # the server's own
VALUE_BYTES = 4000  # a record of a block, about
CONNECTIONS = 4
SEGMENT = "16M"
_WRITTEN = "disk_compaction_written_bytes"


@dataclass(slots=True)
class _Course:
    """The rounds being run in a directory of values."""

    options: StormOptions
    folder: Path
    cores: Cores
    live: LiveLine

    def fill(self) -> None:
        """Write the values that all runs find."""
        self.live.show(f"filling the server with {size_text(self.options.size_bytes)} of values")
        with running_server(self._server("none")) as server:
            fill_keys(self._load(server.target))

    def run(self, run: Run) -> StormRound:
        """Return what one run came to."""
        limit = run.setting.limit
        with running_server(self._server("none" if limit is None else str(limit))) as server:
            load = self._load(server.target)
            with ExitStack() as stack:
                if run.setting.writes:
                    stack.enter_context(compacting(server.target))
                before, began = _written(server.target), time.monotonic()
                result, _ = stack.enter_context(loading(load)).finished_rate()
                written = _written(server.target) - before
                seconds = time.monotonic() - began
            server.check_alive()
        return StormRound(
            run=run,
            source="measured",
            real_time=False,
            seconds=load.duration_s,
            reads=result.requests,
            reader=_latency(result.latency_us),
            reader_delay=None,
            writer_bytes_per_s=written / seconds if run.setting.writes else None,
            pending=None,
            in_flight=None,
            iowait_share=None,
            cpu_delay_share=None,
            errors={"replies": result.errors} if result.errors else {},
            failed=_doubts(run, result, written),
            interrupted=False,
        )

    def _server(self, limit: str) -> ServerOptions:
        reader, writer = self.options.shares
        return ServerOptions(
            path="disk",
            cpus=str(self.cores.server),
            data=self.folder / "values",
            disk_limit=limit,
            disk_shares=f"queries={reader},compaction={writer}",
            segment_bytes=SEGMENT,
        )

    def _load(self, target: str) -> LoadOptions:
        return LoadOptions(
            target=target,
            output=Path(tempfile.mkdtemp(dir=self.folder)),
            duration_s=self.options.duration_s,
            warmup_s=self.options.warmup_s,
            connections=CONNECTIONS,
            keys=max(1, self.options.size_bytes // 4096),
            value_bytes=str(VALUE_BYTES),
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
    try:
        _run_all(options, asked, done)
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
        facts={
            "server": f"--path disk, {size_text(options.size_bytes)} of values of {VALUE_BYTES} "
            f"bytes, {CONNECTIONS} connections in a closed loop"
        },
        warnings=() if failure is None else (f"ended by a failure: {failure.message}",),
        complete=complete,
        failure=failure,
        seconds=time.monotonic() - began,
    )


def _run_all(options: StormOptions, asked: Sequence[Run], done: list[StormRound]) -> None:
    """Run all of what was asked; ``done`` has each as soon as it is finished."""
    live = LiveLine()
    try:
        with tempfile.TemporaryDirectory(prefix="stallscope-storm-", dir=options.path) as name:
            (Path(name) / "values").mkdir(mode=0o700)
            course = _Course(options, Path(name), two_cores(Roots(), usable_cpus(None)), live)
            course.fill()
            for at, run in enumerate(asked):
                left_s = (len(asked) - at) * options.run_s
                live.show(
                    f"round {run.round + 1} of {options.rounds}, {setting_text(run.setting)}; "
                    f"at least {left_s:.0f} s left (Ctrl-C keeps what is finished)"
                )
                done.append(course.run(run))
    finally:
        live.clear()


def _latency(found: Percentiles) -> ReaderLatency | None:
    values = [found.p50, found.p90, found.p99, found.p999, found.largest]
    known = [1000 * value for value in values if value is not None]
    return ReaderLatency(*known) if len(known) == len(values) else None


def _doubts(run: Run, result: LoadResult, written: int) -> tuple[str, ...]:
    """Return why a run is not to be trusted."""
    found = []
    if not result.requests:
        found.append("no GET was answered")
    if run.setting.writes and written <= 0:
        found.append("the server wrote nothing by compaction")
    if result.limited_by_loader:
        found.append(f"the loader was the limit: {result.why}")
    return tuple(found)


def _written(target: str) -> int:
    text = info(target, "disk").get(_WRITTEN, "")
    if not (text.isascii() and text.isdecimal()):
        raise TargetError(f"{target}: INFO disk has no {_WRITTEN}", "run stallscope doctor")
    return int(text)
