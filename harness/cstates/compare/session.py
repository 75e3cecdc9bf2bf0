"""A run of `stallscope cstates compare`: rounds of pinned runs in shuffled order."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from cstates.comparison.candidates import Candidate
from cstates.comparison.differences import ComparedRun, compare, shuffled_rounds
from cstates.pinning.effects import CONSTANT_COUNTERS, Effect
from cstates.pinning.plan import PinPlan
from cstates.pinning.session import PinContext, PinListener, PinnedRun
from harness.cli.terminal import LiveLine
from harness.cstates.compare.metrics import order_of
from harness.cstates.compare.options import CStatesCompareOptions
from harness.cstates.compare.result import CStatesCompareResult, compare_result
from harness.cstates.compare.subject import CommandSubject, CompareSubject, load_subjects
from harness.pin.quiet_runs import run_quietly
from harness.pin.text import restore_lines
from stallscope.errors import TargetError


@dataclass(slots=True)
class _PinMessages:
    """The plans of the settings and the messages of their pins, each message once."""

    plans: dict[str, PinPlan] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def listener(self, setting: str) -> PinListener:
        def on_plan(plan: PinPlan) -> None:
            self.plans[setting] = plan
            self._add(setting, plan.warnings)

        return PinListener(on_plan, lambda text: self._add(setting, [text]))

    def add_result(self, setting: str, run: PinnedRun) -> None:
        foreign = [f"another program changed {item.change.path}" for item in run.foreign]
        self._add(setting, (*foreign, *run.disturbances, *restore_lines(run.restored)))

    def _add(self, setting: str, texts: Sequence[str]) -> None:
        self.notes |= {f"{setting}: {text}": None for text in texts}


def measure(context: PinContext, options: CStatesCompareOptions) -> CStatesCompareResult:
    """Return the result of all rounds; settings are restored after each run.

    Ctrl-C ends the comparison and keeps complete rounds; without one, KeyboardInterrupt is raised.
    Raises TargetError if the command fails, and the errors of pinning.
    """
    messages = _PinMessages()
    runs: list[ComparedRun] = []
    rounds = 0
    subject_notes: Sequence[str] = ()
    interrupted = False
    try:
        with _subjects(options) as subjects:
            for round_runs in _rounds(context, options, subjects, messages):
                runs += round_runs
                rounds += 1
                subject_notes = [text for subject in subjects for text in subject.notes()]
    except KeyboardInterrupt:
        interrupted = True
        if not rounds:
            raise
    names = [candidate.name for candidate in options.candidates.chosen]
    comparison = compare(names, runs, min_effect=options.min_effect, order=order_of)
    notes = (*_recorded_notes(context, options), *options.notes(), *messages.notes, *subject_notes)
    return compare_result(
        options, comparison, messages.plans, notes, rounds=rounds, interrupted=interrupted
    )


def _recorded_notes(context: PinContext, options: CStatesCompareOptions) -> Iterator[str]:
    """Yield what a recorded machine cannot show."""
    if context.roots.is_live:
        return
    yield CONSTANT_COUNTERS
    if options.load:
        yield (
            "the settings are those of a recorded machine, and the load runs on this machine: "
            "no difference is due to a setting"
        )


def _subjects(options: CStatesCompareOptions) -> AbstractContextManager[Sequence[CompareSubject]]:
    if options.load:
        return load_subjects(options.load)
    return nullcontext([CommandSubject(options.command)])


def _rounds(
    context: PinContext,
    options: CStatesCompareOptions,
    subjects: Sequence[CompareSubject],
    messages: _PinMessages,
) -> Iterator[list[ComparedRun]]:
    """Yield the runs of each complete round: every subject under every setting."""
    line = LiveLine()
    pairs = [(item, subject) for subject in subjects for item in options.candidates.chosen]
    total = options.rounds * len(pairs)
    completed = 0
    try:
        orders = shuffled_rounds(len(pairs), options.rounds, seed=options.seed)
        for number, order in enumerate(orders, 1):
            runs = []
            for index in order:
                candidate, subject = pairs[index]
                names = ", ".join(filter(None, (candidate.name, subject.name)))
                line.show(
                    f"round {number} of {options.rounds}: {names}", done=completed, whole=total
                )
                runs.append(_run(context, candidate, subject, messages))
                completed += 1
            yield runs
    finally:
        line.clear()


def _run(
    context: PinContext, candidate: Candidate, subject: CompareSubject, messages: _PinMessages
) -> ComparedRun:
    listener = messages.listener(candidate.name)
    run = run_quietly(context, candidate.request, subject.command(), listener=listener)
    messages.add_result(candidate.name, run)
    if run.status:
        raise TargetError(
            f"the command failed under {candidate.name!r} (status {run.status})",
            "compare a command that succeeds; a failing command ends early and seems fast",
        )
    metrics = subject.metrics(run)
    own_s = (run.exit.cpu_s or 0.0) + subject.service_cpu_s()
    return ComparedRun(
        setting=candidate.name,
        seconds=run.exit.wall_s or 0.0,
        metrics=metrics,
        entries=run.entries,
        without_effect=run.during.effect is Effect.WITHOUT_EFFECT,
        cpus=len(run.plan.targets.capped),
        others_s=None if run.busy_s is None else run.busy_s - own_s,
    )
