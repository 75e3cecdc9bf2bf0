"""One `stallscope cstates compare`: rounds of pinned runs, in alternating shuffled order."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from cstates.comparison.candidates import Candidate, Candidates
from cstates.comparison.differences import LEAST_EFFECT, Comparison, Run, compare, shuffled_rounds
from cstates.pinning.effects import STAND_STILL, Effect
from cstates.pinning.plan import Plan
from cstates.pinning.session import Listener, Place, RunResult
from harness.cli.terminal import LiveLine
from harness.cstates.compare.subject import (
    SERVER_CPU,
    CommandSubject,
    LoadPlan,
    Subject,
    load_subject,
)
from harness.pin.quiet_runs import run_quietly
from harness.pin.text import restored_lines
from stallscope.errors import TargetError


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What was asked: a command, or a load instead."""

    candidates: Candidates
    words: tuple[str, ...]
    load: LoadPlan | None
    rounds: int
    seed: int
    least_effect: float = LEAST_EFFECT


@dataclass(frozen=True, slots=True)
class CompareOutcome:
    """What was measured; ``plans`` by the setting's name, ``notes`` to be told."""

    request: CompareRequest
    comparison: Comparison
    plans: dict[str, Plan]
    notes: tuple[str, ...]
    rounds: int  # that were whole
    interrupted: bool


@dataclass(slots=True)
class _Heard:
    """What pins said; each once, as they say the same each time."""

    plans: dict[str, Plan] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def listener(self, setting: str) -> Listener:
        def plan(plan: Plan) -> None:
            self.plans[setting] = plan
            self.notes |= {f"{setting}: {text}": None for text in plan.warnings}

        return Listener(plan, lambda text: self.notes.update({f"{setting}: {text}": None}))

    def ended(self, setting: str, result: RunResult) -> None:
        foreign = [f"somebody else changed {each.change.path}" for each in result.foreign]
        told = (*foreign, *result.disturbances, *restored_lines(result.restored))
        self.notes |= {f"{setting}: {text}": None for text in told}


def measure(place: Place, request: CompareRequest) -> CompareOutcome:
    """Return what all rounds measured; everything is put back after each run.

    Ctrl-C ends it and keeps whole rounds; KeyboardInterrupt where there are none. Raises
    TargetError where the command fails, and what a pin raises.
    """
    heard = _Heard()
    runs: list[Run] = []
    rounds = 0
    said: Sequence[str] = ()
    interrupted = False
    try:
        with _subject(request) as subject:
            for turn in _turns(place, request, subject, heard):
                runs += turn
                rounds += 1
                said = subject.notes()
    except KeyboardInterrupt:
        interrupted = True
        if not rounds:
            raise
    names = [each.name for each in request.candidates.chosen]
    still = () if place.roots.is_live else (STAND_STILL,)
    notes = (*still, *heard.notes, *said)
    found = compare(names, runs, least_effect=request.least_effect)
    return CompareOutcome(request, found, heard.plans, notes, rounds, interrupted)


def _subject(request: CompareRequest) -> AbstractContextManager[Subject]:
    return (
        load_subject(request.load) if request.load else nullcontext(CommandSubject(request.words))
    )


def _turns(
    place: Place, request: CompareRequest, subject: Subject, heard: _Heard
) -> Iterator[list[Run]]:
    """Yield the runs of each whole round."""
    line = LiveLine()
    chosen = request.candidates.chosen
    try:
        orders = shuffled_rounds(len(chosen), request.rounds, seed=request.seed)
        for number, order in enumerate(orders, 1):
            runs = []
            for which in order:
                line.show(f"round {number} of {request.rounds}: {chosen[which].name}")
                runs.append(_run(place, chosen[which], subject, heard))
            yield runs
    finally:
        line.clear()


def _run(place: Place, setting: Candidate, subject: Subject, heard: _Heard) -> Run:
    listener = heard.listener(setting.name)
    result = run_quietly(place, setting.request, subject.command(), to=listener)
    heard.ended(setting.name, result)
    if result.status:
        raise TargetError(
            f"the command failed under {setting.name!r} (status {result.status})",
            "compare a command that succeeds; a failing one stops early, and seems fast",
        )
    metrics = subject.metrics(result)
    # The command's own time, and that of a server, which runs throughout.
    own_s = (result.ended.cpu_s or 0.0) + (metrics.get(SERVER_CPU) or 0.0)
    return Run(
        setting=setting.name,
        seconds=result.ended.wall_s or 0.0,
        metrics=metrics,
        entries=result.entries,
        without_effect=result.during.effect is Effect.WITHOUT_EFFECT,
        cpus=len(result.plan.targets.capped),
        others_s=None if result.busy_s is None else result.busy_s - own_s,
    )
