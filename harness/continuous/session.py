"""A run of `stallscope record --continuous`: segment after segment, within a budget."""

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from harness.cli.terminal import LiveLine, note, printable, warn
from harness.continuous.endpoint import post
from harness.continuous.meter import SAMPLE_COST_S, RecorderMeter
from harness.continuous.options import ContinuousOptions
from harness.continuous.pace import BudgetPace, SegmentCost, SegmentPlan
from harness.continuous.progress import Recorder, Totals, result_of
from harness.continuous.result import ContinuousResult
from harness.continuous.segment import Segment, SegmentEnd
from harness.continuous.segments import open_store
from harness.continuous.sender import ProfileSender
from stallscope.errors import ExitCode, StallscopeError
from stallscope.interrupts import count_interrupts

_MAX_FAILURES = 3  # in a row
_RETRY_S = 1.0
# Ends of a segment that end the recording, with the end to report. Ctrl-C reaches the collector
# from the terminal, or closes its control stream.
_LAST_ENDS = {"target ended": "target ended", "signal": "signal", "control closed": "signal"}


def run_continuous(options: ContinuousOptions) -> ContinuousResult:
    """Return what was recorded until Ctrl-C, SIGTERM, the end of the target or of the duration.

    Raises errors of the collector, if it fails at once or several times in a row.
    """
    with ExitStack() as stack:
        store = stack.enter_context(open_store(options.collector.output, options.max_total_bytes))
        sender = _sender(options)
        if sender is not None:
            sender.start()
            stack.callback(sender.end, 0.0)  # after a failure; otherwise it has ended
        run = _Run(Recorder(options, store, RecorderMeter(), sender))
        try:
            end = run.until_end()
            if sender is not None:
                sender.end()
        except BaseException as error:
            run.write_state("failed" if isinstance(error, StallscopeError) else "interrupted")
            raise
        return run.write_state(end)


def _sender(options: ContinuousOptions) -> ProfileSender | None:
    endpoint = options.endpoint
    if endpoint is None:
        return None
    from harness.continuous.profile_bytes import profile_bytes  # noqa: PLC0415 - rarely needed

    return ProfileSender(profile_bytes, lambda content: post(endpoint, content))


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM, by which services are stopped, end the recording as Ctrl-C does.

    Outside the main thread this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


class _Run:
    """The loop over segments, and its totals."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._options = recorder.options
        self._begin_s = time.monotonic()
        self._totals = Totals(start_cpu_s=recorder.meter.cpu_s())
        self._line = LiveLine()
        self._stop = threading.Event()
        self._failures = 0
        self._pace = BudgetPace(
            self._options.budget_share,
            max_hz=self._options.collector.frequency_hz or 1,
            segment_s=self._options.segment_s,
            first_variable=SAMPLE_COST_S * (os.cpu_count() or 1),
        )

    def until_end(self) -> str:
        """Record segments, and return why the recording ended."""
        path = printable(str(self._recorder.store.path))
        note(f"recording into {path} until Ctrl-C; its segments are recordings")
        self.write_state("running")
        with count_interrupts(self._stop.set), _terminated_like_interrupted():
            while True:
                plan = self._pace.plan(self._elapsed_s(), self._used_s())
                self._pause(plan.pause_s)
                if self._stop.is_set():
                    return "signal"
                left_s = self._left_s()
                if left_s <= 0:
                    return "duration"
                end = self._record(replace(plan, duration_s=min(plan.duration_s, left_s)))
                if end is not None and end.is_interrupted:
                    return "signal"
                if end is not None and end.reason in _LAST_ENDS:
                    return _LAST_ENDS[end.reason]

    def write_state(self, end: str) -> ContinuousResult:
        """Return the result so far after it was written to the directory."""
        self._line.clear()
        result = result_of(self._recorder, self._totals, elapsed_s=self._elapsed_s(), end=end)
        self._recorder.store.write_state(result)
        return result

    def _pause(self, seconds: float) -> None:
        """Wait, at most until the end of the recording."""
        wait_s = min(seconds, self._left_s())
        if wait_s > 0:
            self._line.show(f"paused for {wait_s:.0f} s to keep the budget")
            begin_s = time.monotonic()
            self._stop.wait(wait_s)
            self._totals.paused_s += time.monotonic() - begin_s

    def _record(self, plan: SegmentPlan) -> SegmentEnd | None:
        """Return how a segment ended; None if it failed and the next one may succeed."""
        store, meter, sender = self._recorder.store, self._recorder.meter, self._recorder.sender
        used_s = meter.cpu_s()
        collector = replace(self._options.collector, max_size_mib=store.max_segment_mib)
        is_first = not self._totals.reasons
        segment = Segment(
            collector, store.next_path(), plan, meter, self._line, print_warnings=is_first
        )
        try:
            end = segment.run()
        except StallscopeError as error:
            return self._after_failure(segment, error)
        self._failures = 0
        self._totals.add(end)
        if end.samples:
            store.close_segment(segment.path)
            if sender is not None:
                sender.add(segment.path)
        else:
            store.remove(segment.path)
        self.write_state("running")
        recorder_s = end.variable_cpu_s - end.samples * SAMPLE_COST_S
        fixed_s = max(0.0, meter.cpu_s() - used_s - recorder_s)
        cost = SegmentCost(end.seconds, end.frequency_hz, fixed_s, end.variable_cpu_s)
        self._pace.note(cost)
        return end

    def _after_failure(self, segment: Segment, error: StallscopeError) -> SegmentEnd | None:
        is_first = not self._totals.reasons
        if error.exit_code == ExitCode.TARGET_FAILED and not is_first:
            self._recorder.store.remove(segment.path)
            return SegmentEnd(reason="target ended")
        self._failures += 1
        self._totals.failed += 1
        if is_first or self._failures >= _MAX_FAILURES:
            raise error
        warn(f"{segment.path.name}: {error.message}")
        if error.exit_code == ExitCode.UNWRITABLE and not self._recorder.store.remove_oldest():
            raise error
        self._pause(_RETRY_S)
        return None

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._begin_s

    def _used_s(self) -> float:
        return self._recorder.meter.cpu_s() + self._totals.samples * SAMPLE_COST_S

    def _left_s(self) -> float:
        """Return the time until the end of the recording, infinite without a duration."""
        duration_s = self._options.collector.duration_s
        return math.inf if duration_s is None else duration_s - self._elapsed_s()
