"""One `stallscope lab storm`: target, recommended limit, rounds with time left, recording."""

import json
import math
import time
from dataclasses import dataclass, field

from harness.cli.command_line import report_error
from harness.cli.terminal import LiveLine, note, width
from harness.io.recorder import Recorder
from harness.io.target_facts import engine_facts, failure_notes, known_limits, opened, target_facts
from harness.labs.storm.document import storm_document
from harness.labs.storm.plan import StormOptions, runs, setting_text, writing_s
from harness.labs.storm.rounds import StormResults
from harness.labs.storm.server import measured_server
from harness.labs.storm.shown import storm_shown
from harness.labs.storm.text import lines
from harness.labs.storm.trial import Recommended, recommended, trial_of, trial_runs
from ioprobe.engine.points import Begun, Ended
from ioprobe.engine.runs import EngineRuns
from ioprobe.storm import Run, StormProgress, StormRound, storming
from ioprobe.target.simulated import PREFIX
from ioprobe.target.target import Target, TargetKind, Wanted
from stallscope.errors import ExitCode, StallscopeError, UnableError
from stallscope.json_fields import Fields
from stallscope.sizes import size_text

_EXAMPLE_BYTES_PER_S = 500 * 10**6


def run_storm(options: StormOptions, *, as_json: bool) -> int:
    """Return the exit code, once all is measured, written and told."""
    with Recorder(
        "storm", options.path, options.output, force=options.force, group="lab"
    ) as recorder:
        measure = measured_server if options.server else measured_storm
        results = measure(options)
        document = storm_document(results)
        recorder.keep_document(document, {}, results.warnings)
    shown = storm_shown(Fields(json.loads(json.dumps(document)), "what was measured"))
    recorder.tell(document, lines(shown, width()), as_json=as_json)
    return int(ExitCode.DONE) if results.failure is None else report_error(results.failure)


def measured_storm(options: StormOptions) -> StormResults:
    """Return what was found; Ctrl-C keeps the finished runs.

    Raises KeyboardInterrupt, or what ended it, where nothing was finished.
    """
    began = time.monotonic()
    live = LiveLine()
    wanted = Wanted(
        writable=True,
        destroy=options.destroy,
        size_bytes=options.size_bytes,
        span_bytes=options.span_bytes,
        block_bytes=(options.streams.reader_bytes, options.streams.writer_bytes),
    )
    try:
        if not options.path.startswith(PREFIX):
            note(_wear_text(options))
        with opened(options.path, wanted, live) as target:
            return _measured(options, target, live, began)
    finally:
        live.clear()


def _wear_text(options: StormOptions) -> str:
    seconds = writing_s(options)
    example = size_text(round(seconds * _EXAMPLE_BYTES_PER_S))
    return (
        f"writes for some {seconds:.0f} s, as much as the disk takes: at 500 MB/s {example} of wear"
    )


@dataclass(slots=True)
class _Course:
    """The rounds being run."""

    options: StormOptions
    target: Target
    live: LiveLine
    end_s: float
    what: str = ""
    begun: Begun | None = None
    rounds: list[StormRound] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def run(self, asked: tuple[Run, ...]) -> bool:
        """Run all; return whether they came to their end."""
        if not self.options.rest_s:
            return self._run(asked, asked)
        for at, run in enumerate(asked):
            self._say(asked, at, 0.0)
            try:
                time.sleep(self.options.rest_s)
            except KeyboardInterrupt:
                return False
            if not self._run(asked, (run,)):
                return False
        return True

    def _run(self, asked: tuple[Run, ...], now: tuple[Run, ...]) -> bool:
        """Run some of what was asked, by one run of the program."""
        by_id = {run.id: at for at, run in enumerate(asked)}
        self._say(asked, by_id[now[0].id], 0.0)
        for event in storming(self.target, self.options.streams, now):
            if time.monotonic() > self.end_s:
                self.warnings.append(
                    f"ended after {self.options.most_s:g} s: the disk is slower than was expected"
                )
                return False
            if isinstance(event, Begun):
                self.begun = event
            elif isinstance(event, StormProgress):
                self._say(asked, by_id[event.id], event.elapsed_s)
            elif isinstance(event, StormRound) and not event.interrupted:
                self.rounds.append(event)
            elif isinstance(event, Ended) and event.interrupted:
                return False
        return True

    def _say(self, asked: tuple[Run, ...], at: int, elapsed_s: float) -> None:
        run = asked[at]
        left_s = max(0.0, (len(asked) - at) * self.options.run_s - elapsed_s)
        self.live.show(
            f"{self.what}round {run.round + 1} of {self.options.rounds}, "
            f"{setting_text(run.setting)}; about {left_s:.0f} s left "
            f"(Ctrl-C {'ends it' if self.what else 'keeps what is finished'})"
        )


def _measured(options: StormOptions, target: Target, live: LiveLine, began: float) -> StormResults:
    engine = EngineRuns(target, options.streams.writer_bytes, "random", 0.0)
    limit = _recommended(options, target, live)
    end_s = math.inf if options.most_s is None else time.monotonic() + options.most_s
    course = _Course(options, target, live, end_s)
    complete, failure = True, None
    try:
        complete = course.run(runs(options, limit.limit))
    except StallscopeError as error:
        if not course.rounds:
            raise
        complete, failure = False, error
    if not course.rounds:
        raise _nothing_finished(course)
    facts = target_facts(target, known_limits(target))
    engine.begun = course.begun
    engine.engines = {"simulated" if target.simulated else "uring"}
    return StormResults(
        options=options,
        modelled=target.kind is TargetKind.SIMULATED,
        recommended=limit,
        rounds=tuple(course.rounds),
        facts=facts | engine_facts(engine),
        warnings=(*target.warnings, *course.warnings, *failure_notes(failure)),
        complete=complete,
        failure=failure,
        seconds=time.monotonic() - began,
    )


def _nothing_finished(course: _Course) -> BaseException:
    """Return what to raise: the time ran out, or Ctrl-C came at once."""
    if course.warnings:
        return UnableError(f"no run was finished; {course.warnings[0]}", "give it more time")
    return KeyboardInterrupt()


def _recommended(options: StormOptions, target: Target, live: LiveLine) -> Recommended:
    """Return the limit that was named, or that a trial finds."""
    if options.recommended is not None:
        return Recommended(options.recommended, "as it was named")
    course = _Course(trial_of(options), target, live, math.inf, what="trial of limits, ")
    if not course.run(trial_runs(options)):
        raise KeyboardInterrupt
    found = recommended(options, course.rounds)
    if found is None:
        raise UnableError(
            "the trial of limits finds none: too few of its runs passed their checks",
            "name a limit with --recommended, see stallscope io curve --kind writes",
        )
    return found
