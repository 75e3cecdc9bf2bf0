"""The storm on a disk: target, trial of limits, rounds."""

import math
import time
from collections.abc import Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from harness.cli.terminal import LiveLine, note
from harness.io.target_facts import (
    engine_facts,
    failure_notes,
    known_limits,
    open_with_progress,
    target_facts,
)
from harness.labs.storm.counters import StormCounters
from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.options import StormOptions
from harness.labs.storm.plan import cost_facts, runs, setting_text, writing_s
from harness.labs.storm.trial import (
    Recommendation,
    recommend_limit,
    trial_options,
    trial_runs,
    tried_limits,
    undecided_limits,
)
from ioprobe.engine.points import EngineEnd, EngineFacts
from ioprobe.engine.runner import EngineRunner
from ioprobe.storm import StormEvent, StormProgress, StormRound, StormRun, storm_events
from ioprobe.target.simulated import PREFIX
from ioprobe.target.target import DiskTarget, TargetKind, TargetRequirements
from stallscope.errors import StallscopeError, UnableError
from stallscope.quantities import size_text

_EXAMPLE_BYTES_PER_S = 500 * 10**6


def measure_disk_storm(options: StormOptions) -> StormMeasurement:
    """Return the rounds on a disk, real or simulated; Ctrl-C keeps the finished runs.

    Raises KeyboardInterrupt, or the error that ended it, if no run was finished.
    """
    began_s = time.monotonic()
    live = LiveLine()
    requirements = TargetRequirements(
        writable=True,
        destroy=options.destroy,
        size_bytes=options.size_bytes,
        span_bytes=options.span_bytes,
        block_bytes=(options.streams.reader_bytes, options.streams.writer_bytes),
    )
    try:
        if not options.path.startswith(PREFIX):
            note(_wear_text(options))
        with open_with_progress(options.path, requirements, live) as target:
            return _measure(options, target, live, began_s)
    finally:
        live.clear()


def _wear_text(options: StormOptions) -> str:
    seconds = writing_s(options)
    example = size_text(round(seconds * _EXAMPLE_BYTES_PER_S))
    return (
        f"writes for about {seconds:.0f} s at the disk's full speed: at 500 MB/s this is {example} "
        "of wear"
    )


@dataclass(slots=True)
class _DiskStorm:
    """The rounds on a target; ``prefix`` names the part on the live line."""

    options: StormOptions
    target: DiskTarget
    live: LiveLine
    end_s: float  # on the monotonic clock
    prefix: str = ""
    facts: EngineFacts | None = None
    rounds: list[StormRound] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    counters: StormCounters = field(default_factory=StormCounters)

    def measure(self, plan: tuple[StormRun, ...]) -> bool:
        """Measure all runs; return whether they were all finished."""
        if not self.options.rest_s:
            return self._measure_part(plan, plan)
        for index, run in enumerate(plan):
            self._show_progress(plan, index, 0.0)
            try:
                time.sleep(self.options.rest_s)
            except KeyboardInterrupt:
                return False
            if not self._measure_part(plan, (run,)):
                return False
        return True

    def _measure_part(self, plan: tuple[StormRun, ...], part: tuple[StormRun, ...]) -> bool:
        """Measure some runs of the plan with a single start of the program."""
        index_by_id = {run.id: index for index, run in enumerate(plan)}
        self._show_progress(plan, index_by_id[part[0].id], 0.0)
        options = self.options
        with ExitStack() as stack:
            observer = None
            if not (self.prefix or self.target.simulated):
                observer = stack.enter_context(self.counters.of_program(part))
            events = storm_events(self.target, options.streams, part, options.rates, observer)
            return self._follow(plan, stack.enter_context(closing(events)))

    def _follow(self, plan: tuple[StormRun, ...], events: Iterable[StormEvent]) -> bool:
        index_by_id = {run.id: index for index, run in enumerate(plan)}
        for event in events:
            if time.monotonic() > self.end_s:
                self.warnings.append(
                    f"ended after {self.options.max_s:g} s: the disk is slower than expected"
                )
                return False
            if isinstance(event, EngineFacts):
                self.facts = event
            elif isinstance(event, StormProgress):
                self._show_progress(plan, index_by_id[event.id], event.elapsed_s)
            elif isinstance(event, StormRound) and not event.interrupted:
                self.rounds.append(event)
            elif isinstance(event, EngineEnd) and event.interrupted:
                return False
        return True

    def _show_progress(self, plan: tuple[StormRun, ...], index: int, elapsed_s: float) -> None:
        run = plan[index]
        left_s = max(0.0, (len(plan) - index) * self.options.run_s - elapsed_s)
        total_s = len(plan) * self.options.run_s
        self.live.show(
            f"{self.prefix}round {run.round + 1} of {self.options.rounds}, "
            f"{setting_text(run.setting)}; about {left_s:.0f} s left "
            f"(Ctrl-C {'ends the lab' if self.prefix else 'keeps finished runs'})",
            done=total_s - left_s,
            whole=total_s,
        )


def _measure(
    options: StormOptions, target: DiskTarget, live: LiveLine, began_s: float
) -> StormMeasurement:
    engine = EngineRunner(target)
    recommendation = _recommendation(options, target, live)
    end_s = math.inf if options.max_s is None else time.monotonic() + options.max_s
    storm = _DiskStorm(options, target, live, end_s)
    complete, failure = True, None
    try:
        complete = storm.measure(runs(options, recommendation.limit))
    except StallscopeError as error:
        if not storm.rounds:
            raise
        complete, failure = False, error
    if not storm.rounds:
        raise _nothing_finished(storm)
    facts = target_facts(target, known_limits(target))
    engine.facts = storm.facts
    engine.engines = {"simulated" if target.simulated else "uring"}
    return StormMeasurement(
        options=options,
        modelled=target.kind is TargetKind.SIMULATED,
        recommendation=recommendation,
        rounds=tuple(storm.rounds),
        facts=facts | engine_facts(engine) | cost_facts(options),
        warnings=(
            *target.warnings,
            *storm.warnings,
            *storm.counters.warnings(),
            *failure_notes(failure),
        ),
        counters=storm.counters.by_setting,
        complete=complete,
        failure=failure,
        seconds=time.monotonic() - began_s,
    )


def _nothing_finished(storm: _DiskStorm) -> BaseException:
    """Return the exception to raise if no run was finished: a time limit or an early Ctrl-C."""
    if storm.warnings:
        return UnableError(f"no run was finished; {storm.warnings[0]}", "allow more time")
    return KeyboardInterrupt()


def _recommendation(options: StormOptions, target: DiskTarget, live: LiveLine) -> Recommendation:
    """Return the limit from the options, or the one that a trial selects."""
    if options.recommended is not None:
        return Recommendation(options.recommended, "from --recommended")
    storm = _DiskStorm(trial_options(options), target, live, math.inf, prefix="trial of limits, ")
    plan = trial_runs(options)
    for repeat in range(1 + options.trial.max_repeats):
        if not storm.measure(plan):
            raise KeyboardInterrupt
        undecided = undecided_limits(tried_limits(options, storm.rounds))
        if not undecided or target.simulated:
            break
        storm.prefix = "trial of limits, repeated, "
        plan = trial_runs(options, undecided, first_round=(repeat + 1) * options.trial.rounds)
    recommendation = recommend_limit(options, storm.rounds)
    if recommendation is None:
        raise UnableError(
            "the trial of limits has no result: too few of its runs passed their checks",
            "name a limit with --recommended, see stallscope io curve --kind writes",
        )
    return recommendation
